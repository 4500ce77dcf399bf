// For tests: results that are rounded once, by LLVM's APFloat, and operands for them.
#pragma once

#include "simt/exec/arithmetic/arithmetic.h"

#include <array>
#include <random>

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>

namespace gantry::simt::exec {

using llvm::APFloat;
using ptx::Type;
using Word = std::uint64_t;

/// How a format lays out its bits, and its numbers.
struct Layout {
  Type type;
  int mantissa, exponent;
  Word nan;
  const llvm::fltSemantics& (*semantics)();

  [[nodiscard]] unsigned width() const { return static_cast<unsigned>(1 + mantissa + exponent); }
  [[nodiscard]] Word sign() const { return Word{1} << (width() - 1); }
  [[nodiscard]] Word infinity() const { return ((Word{1} << exponent) - 1) << mantissa; }
  [[nodiscard]] APFloat number(Word bits) const { return {semantics(), {width(), bits}}; }
  [[nodiscard]] Word bits(const APFloat& number) const {
    return number.isNaN() ? nan : number.bitcastToAPInt().getZExtValue();
  }
};

constexpr Layout kF16 = {Type::kF16, 10, 5, 0x7FFF, APFloat::IEEEhalf};
constexpr Layout kBf16 = {Type::kBf16, 7, 8, 0x7FFF, APFloat::BFloat};
constexpr Layout kF32 = {Type::kF32, 23, 8, 0x7FFFFFFF, APFloat::IEEEsingle};
constexpr Layout kF64 = {Type::kF64, 52, 11, 0x7FF8000000000000, APFloat::IEEEdouble};
constexpr std::array kLayouts = {kF16, kBf16, kF32, kF64};
constexpr std::array kDirections = {Rounding::kNearestEven, Rounding::kZero, Rounding::kDown,
                                    Rounding::kUp};

inline llvm::RoundingMode mode_of(Rounding rounding) {
  switch (rounding) {
  case Rounding::kZero:
  case Rounding::kIntegerZero:
    return llvm::RoundingMode::TowardZero;
  case Rounding::kDown:
  case Rounding::kIntegerDown:
    return llvm::RoundingMode::TowardNegative;
  case Rounding::kUp:
  case Rounding::kIntegerUp:
    return llvm::RoundingMode::TowardPositive;
  default:
    return llvm::RoundingMode::NearestTiesToEven;
  }
}

inline Word reference_sum(const Layout& layout, Word a, Word b, Rounding rounding) {
  APFloat result = layout.number(a);
  result.add(layout.number(b), mode_of(rounding));
  return layout.bits(result);
}

inline Word reference_product(const Layout& layout, Word a, Word b, Rounding rounding) {
  APFloat result = layout.number(a);
  result.multiply(layout.number(b), mode_of(rounding));
  return layout.bits(result);
}

inline Word reference_fma(const Layout& layout, Word a, Word b, Word c, Rounding rounding) {
  APFloat result = layout.number(a);
  result.fusedMultiplyAdd(layout.number(b), layout.number(c), mode_of(rounding));
  return layout.bits(result);
}

inline Word reference_quotient(const Layout& layout, Word a, Word b, Rounding rounding) {
  APFloat result = layout.number(a);
  result.divide(layout.number(b), mode_of(rounding));
  return layout.bits(result);
}

/// The greatest number whose square is not above `a`, or the next one. Squares of doubles, and of
/// what lies in the middle between two, are numbers of 128 bits.
inline Word reference_root(const Layout& layout, Word a, Rounding rounding) {
  const APFloat number = layout.number(a);
  if (number.isZero() || number.isPosInfinity()) {
    return a;
  }
  if (number.isNaN() || number.isNegative()) {
    return layout.nan;
  }
  const auto wide = [&](Word bits) {
    APFloat result = layout.number(bits);
    bool loses = false;
    result.convert(APFloat::IEEEquad(), llvm::RoundingMode::NearestTiesToEven, &loses);
    return result;
  };
  const APFloat square = wide(a);
  Word root = 0;
  for (Word bit = layout.sign() >> 1; bit != 0; bit >>= 1) {
    const APFloat larger = wide(root | bit);
    root |= larger * larger <= square ? bit : 0;
  }
  const APFloat below = wide(root);
  const APFloat twice = below + wide(root + 1);
  const APFloat four_squares = square + square + square + square;
  const bool up = below * below < square &&
                  (rounding == Rounding::kUp ||
                   (rounding == Rounding::kNearestEven && twice * twice < four_squares));
  return root + (up ? 1 : 0);
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
