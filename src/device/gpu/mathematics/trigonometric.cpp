// Sine, cosine and tangent of double. libclc's are several times larger, because each has its own
// copy of the reduction of huge arguments, and no function of it gives sine and cosine together.
//
// x is n quarter turns and a rest r of at most an eighth, as a sum of two doubles. Up to 2^30, r is
// x - n pi/2 with pi/2 in three parts (Cody and Waite); beyond, it comes from the product of x and
// the bits of 2/pi that matter (Payne and Hanek). Sine and cosine of r are Taylor series.
#include "device/gpu/types.h"

namespace gantry::device {
namespace {

/// pi/2, and what is left of it, twice.
constexpr double kQuarter = 0x1.921FB54442D18p+0;
constexpr double kQuarterRest = 0x1.1A62633145C07p-54;
constexpr double kQuarterEnd = -0x1.F1976B7ED8FBCp-110;
constexpr double kQuarters = 0x1.45F306DC9C883p-1; ///< 2/pi
/// Up to here, the number of quarter turns times the first part of pi/2 differs from x exactly.
constexpr double kLarge = 0x1p30;

/// high + low from a whole number of quarter turns.
struct Angle {
  double high, low;
  uint32_t quarters; ///< modulo 4
};

/// 2/pi behind its binary point, and 64 zeros in front.
constexpr uint64_t kBits[] = {0,
                              0xA2F9836E4E441529,
                              0xFC2757D1F534DDC0,
                              0xDB6295993C439041,
                              0xFE5163ABDEBBC561,
                              0xB7246E3A424DD2E0,
                              0x06492EEA09D1921C,
                              0xFE1DEB1CB129A73E,
                              0xE88235F52EBB4484,
                              0xE99C7026B45F7E41,
                              0x3991D639835339F4,
                              0x9C845F8BBDF9283B,
                              0x1FF897FFDE05980F,
                              0xEF2F118B5A0A6D1F,
                              0x6D367ECF27CB09B7,
                              0x4F463F669E5FEA2D,
                              0x7527BAC7EBE5F17B,
                              0x3D0739F78A5292EA,
                              0x6BFB5FB11F8D5D08,
                              0x56033046FC7B6BAB,
                              0xF0CFBC209AF4361D};

/// 64 bits of the list from a bit on.
uint64_t bits_from(uint32_t bit) {
  const uint32_t word = bit / 64, offset = bit % 64;
  return offset == 0 ? kBits[word] : kBits[word] << offset | kBits[word + 1] >> (64 - offset);
}

uint64_t high_half(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}

double scaled(uint64_t number, int32_t exponent) {
  return static_cast<double>(number) *
         __builtin_bit_cast(double, static_cast<uint64_t>(exponent + 1023) << 52);
}

/// x is kLarge at least. Of x 2/pi modulo 4, the 192 bits from 2^1 down.
[[gnu::noinline]] Angle reduce_large(double x) {
  const auto bits = __builtin_bit_cast(uint64_t, x);
  const auto exponent = static_cast<int32_t>(bits >> 52) - 1023 - 52;
  if (exponent > 1023 - 52) {
    return {x - x, 0, 0}; // infinite, or none
  }
  const uint64_t number = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const auto first = static_cast<uint32_t>(62 + exponent); // its product has the weight of 2^1
  const uint64_t window[] = {bits_from(first), bits_from(first + 64), bits_from(first + 128)};
  const uint64_t lowest = number * window[2];
  const uint64_t part = number * window[1];
  const uint64_t middle = part + high_half(number, window[2]);
  const uint64_t highest =
      number * window[0] + high_half(number, window[1]) + (middle < part ? 1 : 0);
  // The binary point is behind the first two bits.
  uint64_t fraction = highest << 2 | middle >> 62;
  uint64_t rest = middle << 2 | lowest >> 62;
  auto quarters = static_cast<uint32_t>(highest >> 62);
  const bool beyond_half = fraction >> 63 != 0;
  if (beyond_half) { // as one quarter more, and back
    ++quarters;
    fraction = ~fraction + (rest == 0 ? 1 : 0);
    rest = ~rest + 1;
  }
  const int32_t zeros = fraction == 0 ? 63 : __builtin_clzll(fraction);
  if (zeros != 0) {
    fraction = fraction << zeros | rest >> (64 - zeros);
    rest <<= zeros;
  }
  const double sign = beyond_half ? -1 : 1;
  const double high = sign * scaled(fraction >> 11, -53 - zeros);
  const double low = sign * scaled((fraction & 0x7FF) << 42 | rest >> 22, -106 - zeros);
  const double product = high * kQuarter;
  const double product_rest =
      __builtin_fma(high, kQuarter, -product) + high * kQuarterRest + low * kQuarter;
  return {product, product_rest, quarters & 3};
}

Angle reduce(double x) {
  const double size = __builtin_fabs(x);
  if (!(size < kLarge)) {
    Angle angle = reduce_large(size);
    if (x < 0) {
      angle = {-angle.high, -angle.low, (4 - angle.quarters) & 3};
    }
    return angle;
  }
  const double turns = __builtin_rint(x * kQuarters);
  const double rest = __builtin_fma(-turns, kQuarter, x); // exact
  const double more = turns * kQuarterRest;
  const double more_rest = __builtin_fma(turns, kQuarterRest, -more);
  // The difference and its rounding error (Knuth).
  const double high = rest - more;
  const double step = high - rest;
  const double lost = (rest - (high - step)) - (more + step);
  const double low = lost - more_rest - turns * kQuarterEnd;
  return {high, low, static_cast<uint32_t>(static_cast<int32_t>(turns)) & 3};
}

double series(double /*square*/, double sum) {
  return sum;
}
template <typename... More>
double series(double square, double sum, double next, More... more) {
  return series(square, __builtin_fma(sum, square, next), more...);
}

double sine_near_zero(const Angle& angle) {
  const double square = angle.high * angle.high;
  const double sum = series(square, 0x1.952C77030AD4Ap-49, -0x1.AE7F3E733B81Fp-41,
                            0x1.6124613A86D09p-33, -0x1.AE64567F544E4p-26, 0x1.71DE3A556C734p-19,
                            -0x1.A01A01A01A01Ap-13, 0x1.1111111111111p-7, -0x1.5555555555555p-3);
  const double of_low = __builtin_fma(-0.5 * square, angle.low, angle.low);
  return angle.high + __builtin_fma(square * angle.high, sum, of_low);
}

double cosine_near_zero(const Angle& angle) {
  const double square = angle.high * angle.high;
  const double sum = series(square, 0x1.AE7F3E733B81Fp-45, -0x1.93974A8C07C9Dp-37,
                            0x1.1EED8EFF8D898p-29, -0x1.27E4FB7789F5Cp-22, 0x1.A01A01A01A01Ap-16,
                            -0x1.6C16C16C16C17p-10, 0x1.5555555555555p-5);
  const double half = 0.5 * square;
  const double first = 1 - half;
  const double lost = 1 - first - half + __builtin_fma(angle.high, angle.high, -square) * -0.5;
  return first + __builtin_fma(square * square, sum, lost - angle.high * angle.low);
}

struct Pair {
  double sine, cosine;
};

Pair of_angle(const Angle& angle) {
  const double sine = sine_near_zero(angle);
  const double cosine = cosine_near_zero(angle);
  const bool odd = (angle.quarters & 1) != 0;
  const double first = odd ? cosine : sine;
  const double second = odd ? sine : cosine;
  return {(angle.quarters & 2) != 0 ? -first : first,
          ((angle.quarters + 1) & 2) != 0 ? -second : second};
}

} // namespace

extern "C" {

double __nv_sin(double x) {
  return x == 0 ? x : of_angle(reduce(x)).sine; // of -0 as well
}

double __nv_cos(double x) {
  return of_angle(reduce(x)).cosine;
}

double __nv_tan(double x) {
  const Pair pair = of_angle(reduce(x));
  return x == 0 ? x : pair.sine / pair.cosine;
}

void __nv_sincos(double x, double* sine, double* cosine) {
  const Pair pair = of_angle(reduce(x));
  *sine = x == 0 ? x : pair.sine;
  *cosine = pair.cosine;
}

} // extern "C"

} // namespace gantry::device
