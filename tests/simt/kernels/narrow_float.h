// Half precision and bfloat16 on the host, by their definition: a sign, an exponent and a
// significand, rounded to the nearest, of two the even one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gantry::simt::testing {

/// A format with the sign in bit 15 and `fraction` bits below the exponent.
struct NarrowFormat {
  int fraction;
  int bias;
};
inline constexpr NarrowFormat kHalf = {10, 15};
inline constexpr NarrowFormat kBfloat = {7, 127};

inline long double to_number(NarrowFormat format, std::uint16_t bits) {
  const int exponent = (bits & 0x7FFF) >> format.fraction;
  const int fraction = bits & ((1 << format.fraction) - 1);
  const int implicit = exponent == 0 ? 0 : 1 << format.fraction;
  long double magnitude =
      std::ldexp(static_cast<long double>(fraction + implicit),
                 (exponent == 0 ? 1 : exponent) - format.bias - format.fraction);
  if (exponent == 2 * format.bias + 1) {
    magnitude = fraction == 0 ? HUGE_VALL : NAN;
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

inline std::uint16_t to_bits(NarrowFormat format, long double number) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
  const int infinity = (2 * format.bias + 1) << format.fraction;
  if (std::isnan(number)) {
    return 0x7FFF;
  }
  const long double magnitude = std::fabs(number);
  if (std::isinf(magnitude)) {
    return static_cast<std::uint16_t>(sign | infinity);
  }
  if (magnitude == 0) {
    return sign;
  }
  const int smallest = 1 - format.bias;
  const int exponent = std::max(std::ilogb(magnitude), smallest);
  // In units of the last place; rounding up to the next power of two carries into the exponent.
  const long double units = std::nearbyint(std::ldexp(magnitude, format.fraction - exponent));
  const auto scaled = static_cast<int>(units);
  const int bits = scaled + ((exponent - smallest) << format.fraction);
  return static_cast<std::uint16_t>(sign | (bits < infinity ? bits : infinity));
}

} // namespace gantry::simt::testing
