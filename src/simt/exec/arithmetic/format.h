// The binary floating-point formats of PTX as bits: classification and signs, and conversions
// between formats, exact or rounded once in any direction.
#pragma once

#include "simt/exec/arithmetic/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gantry::simt::exec {

struct Format {
  unsigned mantissa; ///< stored bits
  unsigned exponent; ///< bits
  std::uint64_t nan; ///< the NaN that operations give

  [[nodiscard]] constexpr std::uint64_t sign() const { return 1ULL << (mantissa + exponent); }
  [[nodiscard]] constexpr std::uint64_t magnitude() const { return sign() - 1; }
  [[nodiscard]] constexpr std::uint64_t smallest_normal() const { return 1ULL << mantissa; }
  [[nodiscard]] constexpr std::uint64_t infinity() const {
    return ((1ULL << exponent) - 1) << mantissa;
  }
  [[nodiscard]] constexpr std::uint64_t one() const {
    return ((1ULL << (exponent - 1)) - 1) << mantissa;
  }
  /// The exponent of the smallest normal number.
  [[nodiscard]] constexpr int least_exponent() const { return 2 - (1 << (exponent - 1)); }

  [[nodiscard]] constexpr bool is_nan(std::uint64_t bits) const {
    return (bits & magnitude()) > infinity();
  }
  /// Subnormal numbers become zero, with their sign.
  [[nodiscard]] constexpr std::uint64_t flushed(std::uint64_t bits) const {
    return (bits & infinity()) == 0 ? bits & sign() : bits;
  }
  /// Clamped to [+0, 1]; NaN gives +0.
  [[nodiscard]] constexpr std::uint64_t saturated(std::uint64_t bits) const {
    return (bits & sign()) != 0 || is_nan(bits) ? 0 : std::min(bits, one());
  }
  /// Negative numbers become +0; NaN stays one.
  [[nodiscard]] constexpr std::uint64_t rectified(std::uint64_t bits) const {
    return is_nan(bits) ? nan : (bits & sign()) != 0 ? 0 : bits;
  }
};

inline constexpr Format kHalf = {10, 5, 0x7FFF};
inline constexpr Format kBfloat = {7, 8, 0x7FFF};
inline constexpr Format kSingle = {23, 8, 0x7FFF'FFFF};
inline constexpr Format kDouble = {52, 11, 0x7FF8'0000'0000'0000};

[[nodiscard]] constexpr const Format& format_of(ptx::Type type) {
  switch (type) {
  case ptx::Type::kF16:
  case ptx::Type::kF16x2:
    return kHalf;
  case ptx::Type::kBf16:
  case ptx::Type::kBf16x2:
    return kBfloat;
  case ptx::Type::kF32:
    return kSingle;
  default:
    return kDouble;
  }
}

/// The value of `bits`, which a double holds exactly.
[[nodiscard]] double widened(const Format& format, std::uint64_t bits);

/// The double rounded to the format, in a direction or (kNone) to nearest even. A double that was
/// itself rounded to odd (the last bit says that it is not exact) gives the result of one
/// rounding, for formats of fewer than 51 bits of mantissa.
[[nodiscard]] std::uint64_t narrowed(const Format& format, double value, Rounding rounding);

/// (negative ? -1 : 1) * magnitude, rounded to the format.
[[nodiscard]] std::uint64_t from_integer(const Format& format, bool negative,
                                         std::uint64_t magnitude, Rounding rounding);

} // namespace gantry::simt::exec
