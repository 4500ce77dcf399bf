// compute() against exact arithmetic: operands become integers times powers of two, results are
// found with integers of any size and rounded by a definition of its own.
#include "simt/exec/arithmetic.h"

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <optional>
#include <random>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

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

Exact exact(const Layout& layout, Word bits) {
  const Word field = bits & (layout.sign() - 1);
  const int biased = static_cast<int>(field >> layout.mantissa);
  Word significand = field & ((Word{1} << layout.mantissa) - 1);
  significand |= biased != 0 ? Word{1} << layout.mantissa : 0;
  const int exponent = std::max(biased, 1) - 1 + layout.least() - layout.mantissa;
  const cpp_int value = significand;
  return {layout.negative(bits) ? cpp_int(-value) : value, exponent};
}

/// The format's number next to an exact one in a direction; `zero_negative`: the sign of a zero.
Word rounded(const Layout& layout, const Exact& number, Rounding rounding, bool zero_negative) {
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

Exact sum(const Exact& a, const Exact& b) {
  const int exponent = std::min(a.exponent, b.exponent);
  return {(a.value << (a.exponent - exponent)) + (b.value << (b.exponent - exponent)), exponent};
}

Exact product(const Exact& a, const Exact& b) {
  return {a.value * b.value, a.exponent + b.exponent};
}

Exact quotient(const Exact& a, const Exact& b) {
  constexpr int kDigits = 200;
  const cpp_int scaled = abs(a.value) << kDigits;
  const cpp_int result = scaled / abs(b.value);
  const bool more = result * abs(b.value) != scaled;
  return {(a.value < 0) != (b.value < 0) ? cpp_int(-result) : result,
          a.exponent - b.exponent - kDigits, more};
}

Exact root(const Exact& a) {
  const int odd = a.exponent & 1;
  const cpp_int scaled = a.value << (200 + odd);
  const cpp_int result = sqrt(scaled);
  return {result, (a.exponent - odd - 200) / 2, result * result != scaled};
}

Word reference_sum(const Layout& layout, Word a, Word b, Rounding rounding) {
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

Word reference_product(const Layout& layout, Word a, Word b, Rounding rounding) {
  const Word sign = (a ^ b) & layout.sign();
  if (layout.is_nan(a) || layout.is_nan(b)) {
    return layout.nan;
  }
  if (layout.is_infinite(a) || layout.is_infinite(b)) {
    return layout.is_zero(a) || layout.is_zero(b) ? layout.nan : sign | layout.infinity();
  }
  return rounded(layout, product(exact(layout, a), exact(layout, b)), rounding, sign != 0);
}

Word reference_fma(const Layout& layout, Word a, Word b, Word c, Rounding rounding) {
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

Word reference_quotient(const Layout& layout, Word a, Word b, Rounding rounding) {
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

Word reference_root(const Layout& layout, Word a, Rounding rounding) {
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

Arithmetic arithmetic(Operator operation, Type type, Rounding rounding = Rounding::kNone) {
  Arithmetic result;
  result.operation = operation;
  result.type = type;
  result.rounding = rounding;
  return result;
}

TEST(Arithmetic, IsPackedInOneWord) {
  Arithmetic operation = arithmetic(Operator::kConvert, Type::kS16x2, Rounding::kIntegerUp);
  operation.source = Type::kBf16x2;
  operation.relu = operation.ftz = true;
  const Arithmetic back = Arithmetic::unpacked(operation.packed());
  EXPECT_EQ(back.packed(), operation.packed());
  EXPECT_EQ(back.type, Type::kS16x2);
  EXPECT_EQ(back.source, Type::kBf16x2);
  EXPECT_EQ(back.rounding, Rounding::kIntegerUp);
  EXPECT_TRUE(back.relu && back.ftz && !back.saturate && !back.approximate);
}

TEST(Arithmetic, RoundsEveryOperationInEveryDirectionExactly) {
  Operands operands;
  for (const Layout& layout : kLayouts) {
    for (const Rounding rounding : kDirections) {
      for (int i = 0; i < 20'000; ++i) {
        const Word a = operands.next(layout);
        const Word b = operands.next(layout);
        const Word c = operands.next(layout);
        const auto result = [&](Operator operation) {
          return compute(arithmetic(operation, layout.type, rounding), a, b, c);
        };
        const auto where = [&] {
          return ::testing::Message()
                 << std::hex << a << ' ' << b << ' ' << c << " type "
                 << static_cast<int>(layout.type) << " rounding " << static_cast<int>(rounding);
        };
        ASSERT_EQ(result(Operator::kAdd), reference_sum(layout, a, b, rounding)) << where();
        ASSERT_EQ(result(Operator::kSub), reference_sum(layout, a, b ^ layout.sign(), rounding))
            << where();
        ASSERT_EQ(result(Operator::kMul), reference_product(layout, a, b, rounding)) << where();
        ASSERT_EQ(result(Operator::kFma), reference_fma(layout, a, b, c, rounding)) << where();
        if (layout.width() > 16) {
          const Word one = ((Word{1} << (layout.exponent - 1)) - 1) << layout.mantissa;
          ASSERT_EQ(result(Operator::kDiv), reference_quotient(layout, a, b, rounding)) << where();
          ASSERT_EQ(result(Operator::kRcp), reference_quotient(layout, one, a, rounding))
              << where();
          ASSERT_EQ(result(Operator::kSqrt), reference_root(layout, a, rounding)) << where();
        }
      }
    }
  }
}

TEST(Arithmetic, LeavesTheHostsRoundingModeAlone) {
  ASSERT_EQ(std::fegetround(), FE_TONEAREST);
  for (const Rounding rounding : kDirections) {
    static_cast<void>(
        compute(arithmetic(Operator::kAdd, Type::kF32, rounding), 0x3F800000, 0x33000000));
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  }
}

TEST(Arithmetic, ComputesLanesOfAMaskAlone) {
  std::array<Word, 32> a, b, result;
  a.fill(0x3F800000);
  b.fill(0x33000000); // half a unit in the last place of one
  result.fill(7);
  compute_lanes(arithmetic(Operator::kAdd, Type::kF32, Rounding::kUp).packed(), 0x80000005,
                result.data(), a.data(), b.data(), nullptr);
  EXPECT_EQ(result[0], 0x3F800001);
  EXPECT_EQ(result[1], 7);
  EXPECT_EQ(result[2], 0x3F800001);
  EXPECT_EQ(result[31], 0x3F800001);
}

TEST(Arithmetic, FlushesSubnormalOperandsAndResults) {
  Arithmetic addition = arithmetic(Operator::kAdd, Type::kF32);
  addition.ftz = true;
  EXPECT_EQ(compute(addition, 0x80000001, 0x80000000), 0x80000000);
  EXPECT_EQ(compute(addition, 0x00800001, 0x80800000), 0);
  EXPECT_EQ(compute(addition, 0x80800001, 0x00800000), 0x80000000);
  Arithmetic negation = arithmetic(Operator::kNeg, Type::kF32);
  negation.ftz = true;
  EXPECT_EQ(compute(negation, 1), 0x80000000);
  EXPECT_EQ(compute(arithmetic(Operator::kNeg, Type::kF32), 0x7FC00001), 0xFFC00001);
}

TEST(Arithmetic, SaturatesToZeroAndOne) {
  Arithmetic addition = arithmetic(Operator::kAdd, Type::kF32);
  addition.saturate = true;
  const Word infinity = 0x7F800000;
  EXPECT_EQ(compute(addition, 0x40000000, 0), 0x3F800000);
  EXPECT_EQ(compute(addition, infinity, infinity | 0x80000000), 0) << "NaN";
  EXPECT_EQ(compute(addition, 0x80000000, 0x80000000), 0) << "-0";
  EXPECT_EQ(compute(addition, 0x3E800000, 0), 0x3E800000);
  addition.type = Type::kF16;
  EXPECT_EQ(compute(addition, 0x4000, 0x3C00), 0x3C00);
  EXPECT_EQ(compute(addition, 0xC000, 0x3C00), 0);
}

TEST(Arithmetic, FindsExtremesByPtxRules) {
  const Arithmetic minimum = arithmetic(Operator::kMin, Type::kF32);
  const Arithmetic maximum = arithmetic(Operator::kMax, Type::kF32);
  const Word nan = 0x7FC00000;
  EXPECT_EQ(compute(minimum, 0, 0x80000000), 0x80000000);
  EXPECT_EQ(compute(minimum, 0x80000000, 0), 0x80000000);
  EXPECT_EQ(compute(maximum, 0x80000000, 0), 0);
  EXPECT_EQ(compute(minimum, nan, 0x40400000), 0x40400000);
  EXPECT_EQ(compute(maximum, 0xC0400000, nan), 0xC0400000);
  EXPECT_EQ(compute(minimum, nan, nan | 0x80000000), 0x7FFFFFFF);
  Arithmetic strict = minimum;
  strict.propagate_nan = true;
  EXPECT_EQ(compute(strict, nan, 0x40400000), 0x7FFFFFFF);
  Arithmetic magnitude = minimum;
  magnitude.xorsign_abs = true;
  EXPECT_EQ(compute(magnitude, 0xC0000000, 0x3F800000), 0xBF800000);
  EXPECT_EQ(compute(magnitude, 0xC0000000, 0xBF800000), 0x3F800000);
  EXPECT_EQ(compute(arithmetic(Operator::kMin, Type::kF64), 0x8000000000000000, 0),
            0x8000000000000000);
  EXPECT_EQ(compute(arithmetic(Operator::kMax, Type::kF16x2), 0x3C00FE00, 0x4000C000), 0x4000C000);
  EXPECT_EQ(compute(arithmetic(Operator::kMin, Type::kS16x2), 0xFFFF0001, 0x00018000), 0xFFFF8000);
  EXPECT_EQ(compute(arithmetic(Operator::kMin, Type::kU16x2), 0xFFFF0001, 0x00018000), 0x00010001);
  Arithmetic rectified = arithmetic(Operator::kMax, Type::kS16x2);
  rectified.relu = true;
  EXPECT_EQ(compute(rectified, 0xFFFF0005, 0xFFFE0007), 0x00000007);
}

TEST(Arithmetic, WorksOnPackedElementsOneByOne) {
  const Arithmetic addition = arithmetic(Operator::kAdd, Type::kF16x2);
  EXPECT_EQ(compute(addition, 0x3C004000, 0x3C00C000), 0x40000000);
  Arithmetic fused = arithmetic(Operator::kFma, Type::kBf16x2);
  fused.relu = true;
  EXPECT_EQ(compute(fused, 0x3F80BF80, 0x40004000, 0x3F803F80), 0x40400000);
}

TEST(Arithmetic, RoundsHalfFmaOnce) {
  // 1 + 2^-10 times itself is 1 + 2^-9 + 2^-20: with -2^-11-ish addends the last bit decides.
  const Arithmetic fused = arithmetic(Operator::kFma, Type::kF16);
  EXPECT_EQ(compute(fused, 0x3C01, 0x3C01, 0x1000),
            reference_fma(kF16, 0x3C01, 0x3C01, 0x1000, Rounding::kNearestEven));
}

std::optional<cpp_int> integral(const Layout& layout, Word bits, Rounding rounding) {
  if (layout.is_nan(bits)) {
    return std::nullopt;
  }
  if (layout.is_infinite(bits)) {
    const cpp_int huge = cpp_int(1) << 2000;
    return layout.negative(bits) ? cpp_int(-huge) : huge;
  }
  const Exact number = exact(layout, bits);
  const cpp_int magnitude = abs(number.value);
  if (number.exponent >= 0) {
    return cpp_int(number.value << number.exponent);
  }
  const int shift = -number.exponent;
  cpp_int kept = magnitude >> shift;
  const cpp_int rest = magnitude - (kept << shift);
  const cpp_int half = cpp_int(1) << (shift - 1);
  const bool negative = number.value < 0;
  const bool away = rounding == Rounding::kIntegerNearestEven
                        ? rest > half || (rest == half && (kept & 1) != 0)
                    : rounding == Rounding::kIntegerDown ? negative && rest != 0
                    : rounding == Rounding::kIntegerUp   ? !negative && rest != 0
                                                         : false;
  kept += away ? 1 : 0;
  return negative ? cpp_int(-kept) : kept;
}

struct Integer {
  Type type;
  unsigned width;
  bool is_signed;
  [[nodiscard]] cpp_int least() const {
    return is_signed ? cpp_int(-(cpp_int(1) << (width - 1))) : cpp_int(0);
  }
  [[nodiscard]] cpp_int greatest() const {
    return (cpp_int(1) << (is_signed ? width - 1 : width)) - 1;
  }
  [[nodiscard]] Word mask() const { return ~Word{0} >> (64 - width); }
  [[nodiscard]] Word bits(const cpp_int& value) const {
    const cpp_int wrapped = value < 0 ? cpp_int(value + (cpp_int(1) << width)) : value;
    return static_cast<Word>(wrapped);
  }
  [[nodiscard]] cpp_int value(Word word) const {
    const cpp_int plain = word & mask();
    return is_signed && plain > greatest() ? cpp_int(plain - (cpp_int(1) << width)) : plain;
  }
};

constexpr std::array<Integer, 8> kIntegers = {{{Type::kU8, 8, false},
                                               {Type::kS8, 8, true},
                                               {Type::kU16, 16, false},
                                               {Type::kS16, 16, true},
                                               {Type::kU32, 32, false},
                                               {Type::kS32, 32, true},
                                               {Type::kU64, 64, false},
                                               {Type::kS64, 64, true}}};

TEST(Conversion, FromFloatToIntegerRoundsAndClamps) {
  Operands operands;
  constexpr std::array kIntegral = {Rounding::kIntegerNearestEven, Rounding::kIntegerZero,
                                    Rounding::kIntegerDown, Rounding::kIntegerUp};
  for (const Layout& layout : kLayouts) {
    for (const Integer& integer : kIntegers) {
      for (const Rounding rounding : kIntegral) {
        Arithmetic conversion = arithmetic(Operator::kConvert, integer.type, rounding);
        conversion.source = layout.type;
        for (int i = 0; i < 1000; ++i) {
          const Word a = operands.next(layout);
          const std::optional<cpp_int> value = integral(layout, a, rounding);
          Word expected = 0;
          if (value) {
            expected =
                integer.bits(std::max(std::min(*value, integer.greatest()), integer.least()));
          } else {
            const bool is_zero = layout.type != Type::kF64 && integer.width <= 32;
            expected = is_zero ? 0 : Word{1} << (integer.width - 1);
          }
          ASSERT_EQ(compute(conversion, a), expected)
              << std::hex << a << " from " << static_cast<int>(layout.type) << " to "
              << static_cast<int>(integer.type);
        }
      }
    }
  }
}

TEST(Conversion, FromIntegerToFloatRoundsOnce) {
  Operands operands;
  for (const Layout& layout : kLayouts) {
    for (const Integer& integer : kIntegers) {
      for (const Rounding rounding : kDirections) {
        Arithmetic conversion = arithmetic(Operator::kConvert, layout.type, rounding);
        conversion.source = integer.type;
        for (int i = 0; i < 1000; ++i) {
          const Word a = i == 0 ? 0 : operands.word() >> (operands.word() % 64);
          ASSERT_EQ(compute(conversion, a), rounded(layout, {integer.value(a)}, rounding, false))
              << std::hex << a;
        }
      }
    }
  }
}

TEST(Conversion, BetweenFloatsRoundsOnce) {
  Operands operands;
  for (const Layout& from : kLayouts) {
    for (const Layout& to : kLayouts) {
      for (const Rounding rounding : kDirections) {
        Arithmetic conversion = arithmetic(Operator::kConvert, to.type, rounding);
        conversion.source = from.type;
        for (int i = 0; i < 5000; ++i) {
          const Word a = operands.next(from);
          const Word sign = from.negative(a) ? to.sign() : 0;
          const Word expected = from.is_nan(a) ? to.nan
                                : from.is_infinite(a)
                                    ? sign | to.infinity()
                                    : rounded(to, exact(from, a), rounding, sign != 0);
          ASSERT_EQ(compute(conversion, a), expected) << std::hex << a;
        }
      }
    }
  }
}

TEST(Conversion, ToIntegralFloatKeepsTheSignOfZero) {
  Arithmetic conversion = arithmetic(Operator::kConvert, Type::kF32, Rounding::kIntegerNearestEven);
  conversion.source = Type::kF32;
  EXPECT_EQ(compute(conversion, 0xBF000000), 0x80000000); // -0.5
  EXPECT_EQ(compute(conversion, 0x3FC00000), 0x40000000); // 1.5
  EXPECT_EQ(compute(conversion, 0x40200000), 0x40000000); // 2.5
  EXPECT_EQ(compute(conversion, 0x4B000001), 0x4B000001);
  EXPECT_EQ(compute(conversion, 0x7F800001), 0x7FFFFFFF);
  conversion.rounding = Rounding::kIntegerUp;
  EXPECT_EQ(compute(conversion, 0x00000001), 0x3F800000);
  conversion.ftz = true;
  EXPECT_EQ(compute(conversion, 0x00000001), 0);
}

TEST(Conversion, BetweenIntegersWrapsOrClamps) {
  Operands operands;
  for (const Integer& from : kIntegers) {
    for (const Integer& to : kIntegers) {
      Arithmetic conversion = arithmetic(Operator::kConvert, to.type);
      conversion.source = from.type;
      for (int i = 0; i < 500; ++i) {
        const Word a = operands.word() >> (operands.word() % 64);
        const cpp_int value = from.value(a);
        const cpp_int wrapped = value < 0 ? cpp_int(value + (cpp_int(1) << 64)) : value;
        conversion.saturate = false;
        ASSERT_EQ(compute(conversion, a), static_cast<Word>(wrapped) & to.mask());
        conversion.saturate = true;
        ASSERT_EQ(compute(conversion, a),
                  to.bits(std::max(std::min(value, to.greatest()), to.least())));
      }
    }
  }
}

TEST(Conversion, PacksTwoFloats) {
  Arithmetic conversion = arithmetic(Operator::kConvert, Type::kF16x2, Rounding::kNearestEven);
  conversion.source = Type::kF32;
  EXPECT_EQ(compute(conversion, 0x3F800000, 0x40000000), 0x3C004000);
  conversion.type = Type::kBf16x2;
  conversion.relu = true;
  EXPECT_EQ(compute(conversion, 0xBF800000, 0x40000000), 0x00004000);
}

TEST(Conversion, SaturatesFloats) {
  Arithmetic conversion = arithmetic(Operator::kConvert, Type::kF32);
  conversion.source = Type::kF32;
  conversion.saturate = true;
  EXPECT_EQ(compute(conversion, 0x7FC00000), 0);
  EXPECT_EQ(compute(conversion, 0xFF800000), 0);
  EXPECT_EQ(compute(conversion, 0x7F800000), 0x3F800000);
}

double value_of(Word bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

TEST(Approximation, IsWithinOneUnitOfTheFunction) {
  // NOLINTNEXTLINE(bugprone-random-generator-seed): the same numbers every time
  std::mt19937_64 random(7);
  struct Case {
    Operator operation;
    long double (*function)(long double);
    float least, greatest;
  };
  const std::array<Case, 6> cases = {{
      {Operator::kSin, [](long double x) { return std::sin(x); }, -100, 100},
      {Operator::kCos, [](long double x) { return std::cos(x); }, -100, 100},
      {Operator::kLg2, [](long double x) { return std::log2(x); }, 0, 1e30F},
      {Operator::kEx2, [](long double x) { return std::exp2(x); }, -140, 127},
      {Operator::kTanh, [](long double x) { return std::tanh(x); }, -10, 10},
      {Operator::kRsqrt, [](long double x) { return 1 / std::sqrt(x); }, 0, 1e30F},
  }};
  for (const Case& one : cases) {
    Arithmetic operation = arithmetic(one.operation, Type::kF32);
    operation.approximate = true;
    std::uniform_real_distribution<float> operands(one.least, one.greatest);
    for (int i = 0; i < 20'000; ++i) {
      const float x = operands(random);
      const Word result = compute(operation, std::bit_cast<std::uint32_t>(x));
      const auto expected = static_cast<float>(one.function(x));
      const auto distance = std::abs(static_cast<std::int64_t>(static_cast<std::int32_t>(result)) -
                                     std::bit_cast<std::int32_t>(expected));
      ASSERT_LE(distance, 1) << x << ' ' << value_of(result) << ' ' << expected;
    }
  }
}

TEST(Approximation, HasTheLimitsOfPtx) {
  const auto of = [](Operator operation, Word a, bool ftz = false) {
    Arithmetic approximation = arithmetic(operation, Type::kF32);
    approximation.approximate = true;
    approximation.ftz = ftz;
    return compute(approximation, a);
  };
  const Word infinity = 0x7F800000;
  EXPECT_EQ(of(Operator::kSin, infinity), 0x7FFFFFFF);
  EXPECT_EQ(of(Operator::kCos, 0xFF800000), 0x7FFFFFFF);
  EXPECT_EQ(of(Operator::kSin, 0x80000000), 0x80000000);
  EXPECT_EQ(of(Operator::kLg2, 0), 0xFF800000);
  EXPECT_EQ(of(Operator::kLg2, 0xBF800000), 0x7FFFFFFF);
  EXPECT_EQ(of(Operator::kEx2, 0xFF800000), 0);
  EXPECT_EQ(of(Operator::kEx2, 0xC3010000), 0x00100000) << "2^-129 is subnormal";
  EXPECT_EQ(of(Operator::kEx2, 0xC3010000, true), 0);
  EXPECT_EQ(of(Operator::kEx2, infinity), infinity);
  EXPECT_EQ(of(Operator::kRsqrt, 0x80000000), 0xFF800000);
  EXPECT_EQ(of(Operator::kRsqrt, 1, true), infinity);
  EXPECT_EQ(of(Operator::kTanh, infinity), 0x3F800000);
  EXPECT_EQ(of(Operator::kTanh, 0xFFC00000), 0x7FFFFFFF);
}

TEST(Approximation, OfDoublesUsesUpperWords) {
  Arithmetic reciprocal = arithmetic(Operator::kRcp, Type::kF64);
  reciprocal.approximate = reciprocal.ftz = true;
  EXPECT_EQ(compute(reciprocal, 0x4000000000000000), 0x3FE0000000000000);
  EXPECT_EQ(compute(reciprocal, 0x40000000FFFFFFFF), 0x3FE0000000000000);
  EXPECT_EQ(compute(reciprocal, 0x4008000000000000), 0x3FD5555500000000);
  EXPECT_EQ(compute(reciprocal, 0x8000000000000001), 0xFFF0000000000000);
  EXPECT_EQ(compute(reciprocal, 0x7FE0000000000000), 0) << "a subnormal result";
  EXPECT_EQ(compute(reciprocal, 0x7FF8000000000001), kF64.nan);
  Arithmetic root = arithmetic(Operator::kRsqrt, Type::kF64);
  root.approximate = true;
  EXPECT_EQ(compute(root, 0x4010000000000000), 0x3FE0000000000000);
  root.ftz = true;
  EXPECT_EQ(compute(root, 0x40100000FFFFFFFF), 0x3FE0000000000000);
}

} // namespace
} // namespace gantry::simt::exec
