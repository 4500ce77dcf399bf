#include "simt/exec/arithmetic/format.h"

namespace gantry::simt::exec {

namespace {

/// A significand of 64 bits that has lost `shift` bits from its end, rounded.
std::uint64_t rounded_shift(std::uint64_t significand, unsigned shift, bool negative,
                            Rounding rounding) {
  if (shift == 0) {
    return significand;
  }
  const std::uint64_t kept = shift > 63 ? 0 : significand >> shift;
  const std::uint64_t half = shift > 64 ? 0 : 1ULL << (shift - 1);
  const std::uint64_t rest = shift > 63 ? significand : significand & (2 * half - 1);
  bool up = false;
  switch (rounding) {
  case Rounding::kZero:
    break;
  case Rounding::kDown:
    up = negative && rest != 0;
    break;
  case Rounding::kUp:
    up = !negative && rest != 0;
    break;
  case Rounding::kNearestAway:
    up = shift <= 64 && rest >= half;
    break;
  default:
    up = shift <= 64 && (rest > half || (rest == half && (kept & 1) != 0));
    break;
  }
  return kept + (up ? 1 : 0);
}

/// significand * 2^exponent; the significand is not zero.
std::uint64_t assembled(const Format& format, bool negative, std::uint64_t significand,
                        int exponent, Rounding rounding) {
  const int normalising = std::countl_zero(significand);
  significand <<= normalising;
  // The value is significand * 2^(top - 63).
  const int top = exponent - normalising + 63;
  const int scale = std::max(top, format.least_exponent());
  const int shift = 63 - static_cast<int>(format.mantissa) + (scale - top);
  const std::uint64_t kept =
      rounded_shift(significand, static_cast<unsigned>(std::min(shift, 127)), negative, rounding);
  // Adding, not or-ing: the leading bit of a normal significand, and a carry, count the exponent
  // up.
  const int biased = scale - format.least_exponent();
  const std::uint64_t sign = negative ? format.sign() : 0;
  const std::uint64_t bits = biased >= 1 << format.exponent
                                 ? format.infinity()
                                 : (static_cast<std::uint64_t>(biased) << format.mantissa) + kept;
  if (bits < format.infinity()) {
    return sign | bits;
  }
  const bool stays_finite = rounding == Rounding::kZero ||
                            (rounding == Rounding::kDown && !negative) ||
                            (rounding == Rounding::kUp && negative);
  return sign | (format.infinity() - (stays_finite ? 1 : 0));
}

} // namespace

double widened(const Format& format, std::uint64_t bits) {
  if (format.mantissa == kDouble.mantissa) {
    return std::bit_cast<double>(bits);
  }
  const std::uint64_t magnitude = bits & format.magnitude();
  const std::uint64_t sign = (bits & format.sign()) != 0 ? kDouble.sign() : 0;
  if (magnitude >= format.infinity()) {
    return std::bit_cast<double>(magnitude > format.infinity() ? kDouble.nan
                                                               : sign | kDouble.infinity());
  }
  const unsigned added = kDouble.mantissa - format.mantissa;
  if (magnitude < format.smallest_normal()) {
    const int exponent = format.least_exponent() - static_cast<int>(format.mantissa);
    const double value =
        static_cast<double>(static_cast<std::int64_t>(magnitude)) *
        std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << kDouble.mantissa);
    return std::bit_cast<double>(sign | std::bit_cast<std::uint64_t>(value));
  }
  const std::uint64_t rebias =
      static_cast<std::uint64_t>(format.least_exponent() - kDouble.least_exponent());
  return std::bit_cast<double>(sign | ((magnitude << added) + (rebias << kDouble.mantissa)));
}

std::uint64_t narrowed(const Format& format, double value, Rounding rounding) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = (bits & kDouble.sign()) != 0;
  const std::uint64_t magnitude = bits & kDouble.magnitude();
  if (magnitude >= kDouble.infinity()) {
    return magnitude > kDouble.infinity() ? format.nan
                                          : (negative ? format.sign() : 0) | format.infinity();
  }
  if (magnitude == 0) {
    return negative ? format.sign() : 0;
  }
  std::uint64_t significand = magnitude & (kDouble.smallest_normal() - 1);
  int exponent = static_cast<int>(magnitude >> kDouble.mantissa);
  if (exponent != 0) {
    significand |= kDouble.smallest_normal();
    --exponent;
  }
  return assembled(format, negative, significand,
                   exponent + kDouble.least_exponent() - static_cast<int>(kDouble.mantissa),
                   rounding);
}

std::uint64_t from_integer(const Format& format, bool negative, std::uint64_t magnitude,
                           Rounding rounding) {
  return magnitude == 0 ? 0 : assembled(format, negative, magnitude, 0, rounding);
}

} // namespace gantry::simt::exec
