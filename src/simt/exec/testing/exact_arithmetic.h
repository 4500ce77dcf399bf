// For tests: exact arithmetic. Operands become integers times powers of two, results are found with
// integers of any size and rounded by a definition of its own.
#pragma once

#include "simt/exec/arithmetic/arithmetic.h"

#include <array>
#include <random>

#include <boost/multiprecision/cpp_int.hpp>

namespace gantry::simt::exec {

using boost::multiprecision::cpp_int;
using ptx::Type;
using Word = std::uint64_t;

struct Layout {
  Type type;
  int mantissa, exponent;
  Word nan;

  [[nodiscard]] int width() const { return 1 + mantissa + exponent; }
  [[nodiscard]] Word sign() const { return Word{1} << (width() - 1); }
  [[nodiscard]] Word infinity() const { return ((Word{1} << exponent) - 1) << mantissa; }
  [[nodiscard]] int least() const { return 2 - (1 << (exponent - 1)); }
  [[nodiscard]] bool is_nan(Word bits) const { return (bits & (sign() - 1)) > infinity(); }
  [[nodiscard]] bool is_infinite(Word bits) const { return (bits & (sign() - 1)) == infinity(); }
  [[nodiscard]] bool is_zero(Word bits) const { return (bits & (sign() - 1)) == 0; }
  [[nodiscard]] bool negative(Word bits) const { return (bits & sign()) != 0; }
};

constexpr Layout kF16 = {Type::kF16, 10, 5, 0x7FFF};
constexpr Layout kBf16 = {Type::kBf16, 7, 8, 0x7FFF};
constexpr Layout kF32 = {Type::kF32, 23, 8, 0x7FFFFFFF};
constexpr Layout kF64 = {Type::kF64, 52, 11, 0x7FF8000000000000};
constexpr std::array kLayouts = {kF16, kBf16, kF32, kF64};
constexpr std::array kDirections = {Rounding::kNearestEven, Rounding::kZero, Rounding::kDown,
                                    Rounding::kUp};

/// value * 2^exponent, plus something below that is not zero if `more`; signed.
struct Exact {
  cpp_int value;
  int exponent = 0;
  bool more = false;
};

inline Exact exact(const Layout& layout, Word bits) {
  const Word field = bits & (layout.sign() - 1);
  const int biased = static_cast<int>(field >> layout.mantissa);
  Word significand = field & ((Word{1} << layout.mantissa) - 1);
  significand |= biased != 0 ? Word{1} << layout.mantissa : 0;
  const int exponent = std::max(biased, 1) - 1 + layout.least() - layout.mantissa;
  const cpp_int value = significand;
  return {layout.negative(bits) ? cpp_int(-value) : value, exponent};
}

/// The format's number next to an exact one in a direction; `zero_negative`: the sign of a zero.
inline Word rounded(const Layout& layout, const Exact& number, Rounding rounding,
                    bool zero_negative) {
  if (number.value == 0 && !number.more) {
    return zero_negative ? layout.sign() : 0;
  }
  const bool negative = number.value < 0;
  const cpp_int magnitude = abs(number.value);
  const int bits = magnitude == 0 ? 0 : static_cast<int>(msb(magnitude)) + 1;
  // The unit in the last place of the result.
  const int unit = std::max(number.exponent + bits - 1, layout.least()) - layout.mantissa;
  const int shift = unit - number.exponent;
  cpp_int kept = shift > 0 ? cpp_int(magnitude >> shift) : cpp_int(magnitude << -shift);
  const cpp_int rest = shift > 0 ? cpp_int(magnitude - (kept << shift)) : cpp_int(0);
  const bool inexact = rest != 0 || number.more;
  const cpp_int half = shift > 0 ? cpp_int(cpp_int(1) << (shift - 1)) : cpp_int(1);
  bool away = false;
  if (rounding == Rounding::kDown) {
    away = negative && inexact;
  } else if (rounding == Rounding::kUp) {
    away = !negative && inexact;
  } else if (rounding == Rounding::kNearestEven) {
    away = rest > half || (rest == half && (number.more || (kept & 1) != 0));
  }
  kept += away ? 1 : 0;
  const Word sign = negative ? layout.sign() : 0;
  cpp_int encoded = kept + (cpp_int(unit + layout.mantissa - layout.least()) << layout.mantissa);
  if (encoded >= cpp_int(layout.infinity())) {
    const bool finite = rounding == Rounding::kZero || (rounding == Rounding::kDown && !negative) ||
                        (rounding == Rounding::kUp && negative);
    return sign | (layout.infinity() - (finite ? 1 : 0));
  }
  return sign | static_cast<Word>(encoded);
}

inline Exact sum(const Exact& a, const Exact& b) {
  const int exponent = std::min(a.exponent, b.exponent);
  return {(a.value << (a.exponent - exponent)) + (b.value << (b.exponent - exponent)), exponent};
}

inline Exact product(const Exact& a, const Exact& b) {
  return {a.value * b.value, a.exponent + b.exponent};
}

inline Exact quotient(const Exact& a, const Exact& b) {
  constexpr int kDigits = 200;
  const cpp_int scaled = abs(a.value) << kDigits;
  const cpp_int result = scaled / abs(b.value);
  const bool more = result * abs(b.value) != scaled;
  return {(a.value < 0) != (b.value < 0) ? cpp_int(-result) : result,
          a.exponent - b.exponent - kDigits, more};
}

inline Exact root(const Exact& a) {
  const int odd = a.exponent & 1;
  const cpp_int scaled = a.value << (200 + odd);
  const cpp_int result = sqrt(scaled);
  return {result, (a.exponent - odd - 200) / 2, result * result != scaled};
}

inline Word reference_sum(const Layout& layout, Word a, Word b, Rounding rounding) {
  if (layout.is_nan(a) || layout.is_nan(b)) {
    return layout.nan;
  }
  if (layout.is_infinite(a) || layout.is_infinite(b)) {
    const bool opposed = layout.is_infinite(a) && layout.is_infinite(b) && a != b;
    return opposed ? layout.nan : layout.is_infinite(a) ? a : b;
  }
  const bool both_negative = layout.negative(a) && layout.negative(b);
  const bool unlike = layout.negative(a) != layout.negative(b);
  return rounded(layout, sum(exact(layout, a), exact(layout, b)), rounding,
                 both_negative || (unlike && rounding == Rounding::kDown));
}

inline Word reference_product(const Layout& layout, Word a, Word b, Rounding rounding) {
  const Word sign = (a ^ b) & layout.sign();
  if (layout.is_nan(a) || layout.is_nan(b)) {
    return layout.nan;
  }
  if (layout.is_infinite(a) || layout.is_infinite(b)) {
    return layout.is_zero(a) || layout.is_zero(b) ? layout.nan : sign | layout.infinity();
  }
  return rounded(layout, product(exact(layout, a), exact(layout, b)), rounding, sign != 0);
}

inline Word reference_fma(const Layout& layout, Word a, Word b, Word c, Rounding rounding) {
  const Word sign = (a ^ b) & layout.sign();
  if (layout.is_nan(a) || layout.is_nan(b) || layout.is_nan(c)) {
    return layout.nan;
  }
  if (layout.is_infinite(a) || layout.is_infinite(b)) {
    const bool invalid = layout.is_zero(a) || layout.is_zero(b) ||
                         (layout.is_infinite(c) && (c & layout.sign()) != sign);
    return invalid ? layout.nan : sign | layout.infinity();
  }
  if (layout.is_infinite(c)) {
    return c;
  }
  const bool unlike = (sign != 0) != layout.negative(c);
  const bool negative_zero = unlike ? rounding == Rounding::kDown : sign != 0;
  return rounded(layout, sum(product(exact(layout, a), exact(layout, b)), exact(layout, c)),
                 rounding, negative_zero);
}

inline Word reference_quotient(const Layout& layout, Word a, Word b, Rounding rounding) {
  const Word sign = (a ^ b) & layout.sign();
  const bool invalid = layout.is_nan(a) || layout.is_nan(b) ||
                       (layout.is_infinite(a) && layout.is_infinite(b)) ||
                       (layout.is_zero(a) && layout.is_zero(b));
  if (invalid) {
    return layout.nan;
  }
  if (layout.is_infinite(a) || layout.is_zero(b)) {
    return sign | layout.infinity();
  }
  if (layout.is_zero(a) || layout.is_infinite(b)) {
    return sign;
  }
  return rounded(layout, quotient(exact(layout, a), exact(layout, b)), rounding, sign != 0);
}

inline Word reference_root(const Layout& layout, Word a, Rounding rounding) {
  if (layout.is_zero(a)) {
    return a;
  }
  if (layout.is_nan(a) || layout.negative(a)) {
    return layout.nan;
  }
  return layout.is_infinite(a) ? a : rounded(layout, root(exact(layout, a)), rounding, false);
}

/// Operands where things go wrong, and random ones.
class Operands {
public:
  Word next(const Layout& layout) {
    const Word mask = layout.sign() * 2 - 1;
    const Word one = ((Word{1} << (layout.exponent - 1)) - 1) << layout.mantissa;
    const std::array<Word, 14> edges = {0,
                                        1,
                                        2,
                                        (Word{1} << layout.mantissa) - 1,
                                        Word{1} << layout.mantissa,
                                        (Word{1} << layout.mantissa) + 1,
                                        one,
                                        one + 1,
                                        one - 1,
                                        one + (Word{1} << layout.mantissa),
                                        layout.infinity() - 1,
                                        layout.infinity(),
                                        layout.infinity() + 1,
                                        layout.sign() - 1};
    const Word sign = (random_() & 1) != 0 ? layout.sign() : 0;
    switch (random_() % 4) {
    case 0:
      return sign | edges[random_() % edges.size()];
    case 1: { // near one, so that sums have bits of both
      const Word exponent = (random_() % 8 + (Word{1} << (layout.exponent - 1)) - 5)
                            << layout.mantissa;
      return sign | exponent | (random_() & ((Word{1} << layout.mantissa) - 1));
    }
    default:
      return random_() & mask;
    }
  }
  Word word() { return random_(); }

private:
  // NOLINTNEXTLINE(bugprone-random-generator-seed): the same numbers every time
  std::mt19937_64 random_{20260101};
};

inline Arithmetic arithmetic(Operator operation, Type type, Rounding rounding = Rounding::kNone) {
  Arithmetic result;
  result.operation = operation;
  result.type = type;
  result.rounding = rounding;
  return result;
}

} // namespace gantry::simt::exec
