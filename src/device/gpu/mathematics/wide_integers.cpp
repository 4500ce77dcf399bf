// Conversions between numbers and integers of 128 bits, which the code generator has no
// instructions for. The names are those of compiler-rt.
#include "device/gpu/types.h"

namespace gantry::device {

namespace {

using Wide = unsigned __int128;

int leading_zeros(Wide x) {
  const auto high = static_cast<uint64_t>(x >> 64);
  return high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(static_cast<uint64_t>(x));
}

/// x > 0, rounded to even, as a number of `digits` bits; a float's bits are a double's too.
double rounded(Wide x, int digits) {
  const int exponent = 127 - leading_zeros(x);
  const int drop = exponent - (digits - 1);
  if (drop <= 0) {
    return static_cast<double>(static_cast<uint64_t>(x));
  }
  auto kept = static_cast<uint64_t>(x >> drop);
  const Wide rest = x & ((Wide{1} << drop) - 1), half = Wide{1} << (drop - 1);
  kept += rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  const auto power = static_cast<uint64_t>(drop + 1023) << 52;
  return static_cast<double>(kept) * __builtin_bit_cast(double, power);
}

double of_unsigned(Wide x, int digits) {
  return x == 0 ? 0 : rounded(x, digits);
}

double of_signed(__int128 x, int digits) {
  return x < 0 ? -of_unsigned(Wide{0} - static_cast<Wide>(x), digits)
               : of_unsigned(static_cast<Wide>(x), digits);
}

/// The integral part of |x|; x is less than 2^128.
Wide magnitude_of(double x) {
  const auto bits = __builtin_bit_cast(uint64_t, x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  if (exponent < 0 || exponent > 127) {
    return 0;
  }
  const Wide significand = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  return exponent >= 52 ? significand << (exponent - 52) : significand >> (52 - exponent);
}

__int128 to_signed(double x) {
  const Wide magnitude = magnitude_of(x);
  return static_cast<__int128>(x < 0 ? Wide{0} - magnitude : magnitude);
}

} // namespace

extern "C" {

double __floattidf(__int128 x) {
  return of_signed(x, 53);
}
float __floattisf(__int128 x) {
  return static_cast<float>(of_signed(x, 24));
}
double __floatuntidf(Wide x) {
  return of_unsigned(x, 53);
}
float __floatuntisf(Wide x) {
  return static_cast<float>(of_unsigned(x, 24));
}
__int128 __fixdfti(double x) {
  return to_signed(x);
}
__int128 __fixsfti(float x) {
  return to_signed(static_cast<double>(x));
}
Wide __fixunsdfti(double x) {
  return magnitude_of(x);
}
Wide __fixunssfti(float x) {
  return magnitude_of(static_cast<double>(x));
}

} // extern "C"

} // namespace gantry::device
