// Floating point by integers: what a format's bits mean, exact results, and their rounding. The
// reference that the executor's arithmetic is held against; slow, and the same on any machine.
#pragma once

#include <cstdint>

namespace gantry::simt::instructions {

using Word = std::uint64_t;

/// A binary format of IEEE 754, or bfloat16.
struct Format {
  int exponent_bits, fraction_bits;

  [[nodiscard]] constexpr int width() const { return 1 + exponent_bits + fraction_bits; }
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr Word sign() const { return Word{1} << (width() - 1); }
  [[nodiscard]] constexpr Word infinity() const {
    return ((Word{1} << exponent_bits) - 1) << fraction_bits;
  }
  [[nodiscard]] constexpr Word smallest_normal() const { return Word{1} << fraction_bits; }
  [[nodiscard]] constexpr Word one() const { return static_cast<Word>(bias()) << fraction_bits; }
  /// The NaN that arithmetic makes: of 16 and 32 bits all ones but the sign, of 64 the quiet one.
  [[nodiscard]] constexpr Word nan() const {
    return width() == 64 ? infinity() | Word{1} << (fraction_bits - 1) : sign() - 1;
  }
  [[nodiscard]] constexpr bool is_nan(Word bits) const {
    return (bits & (sign() - 1)) > infinity();
  }
  [[nodiscard]] constexpr bool is_infinite(Word bits) const {
    return (bits & (sign() - 1)) == infinity();
  }
  [[nodiscard]] constexpr bool is_zero(Word bits) const { return (bits & (sign() - 1)) == 0; }
  [[nodiscard]] constexpr bool is_subnormal(Word bits) const {
    return !is_zero(bits) && (bits & (sign() - 1)) < smallest_normal();
  }
  /// A subnormal one becomes a zero of its sign.
  [[nodiscard]] constexpr Word flushed(Word bits) const {
    return is_subnormal(bits) ? bits & sign() : bits;
  }
};
inline constexpr Format kHalf{5, 10}, kBfloat{8, 7}, kSingle{8, 23}, kDouble{11, 52};

enum class Round { kNearestEven, kZero, kDown, kUp };

/// An exact number, or one of which all that rounding needs is known: significand * 2^exponent, and
/// `inexact` if its magnitude is larger than that by less than one unit of the significand, which
/// then has more digits than any format.
struct Number {
  using Significand = unsigned _BitInt(320);
  enum class Class { kNan, kInfinite, kFinite };

  Class kind = Class::kFinite;
  bool negative = false;
  bool inexact = false;
  Significand significand = 0;
  int exponent = 0;

  [[nodiscard]] bool is_nan() const { return kind == Class::kNan; }
  [[nodiscard]] bool is_infinite() const { return kind == Class::kInfinite; }
  [[nodiscard]] bool is_zero() const {
    return kind == Class::kFinite && significand == 0 && !inexact;
  }
  [[nodiscard]] static Number nan() { return {Class::kNan, false, false, 0, 0}; }
  [[nodiscard]] static Number infinite(bool negative) {
    return {Class::kInfinite, negative, false, 0, 0};
  }
  [[nodiscard]] static Number zero(bool negative) {
    return {Class::kFinite, negative, false, 0, 0};
  }
  [[nodiscard]] static Number integer(__int128 value);
};

[[nodiscard]] Number unpacked(Word bits, Format format);
/// Rounds to the format; beyond its largest number to infinity or that number, as the mode says.
[[nodiscard]] Word packed(const Number& number, Format format, Round mode);

/// `mode` decides the sign of a difference that is zero.
[[nodiscard]] Number sum(const Number& a, const Number& b, Round mode);
[[nodiscard]] Number negated(Number a);
[[nodiscard]] Number product(const Number& a, const Number& b);
[[nodiscard]] Number quotient(const Number& a, const Number& b);
[[nodiscard]] Number square_root(const Number& a);
/// To an integral number, in floating point: a zero keeps its sign.
[[nodiscard]] Number integral(const Number& a, Round mode);
/// The value of an integral finite number, or the largest or smallest one if it is beyond.
[[nodiscard]] __int128 to_integer(const Number& a);

} // namespace gantry::simt::instructions
