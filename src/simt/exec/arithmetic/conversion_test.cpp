// compute() against LLVM's numbers: conversions, and approximations of functions.
#include "simt/exec/testing/exact_arithmetic.h"

#include <array>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

struct Integer {
  Type type;
  unsigned width;
  bool is_signed;
  [[nodiscard]] Word mask() const { return ~Word{0} >> (64 - width); }
  [[nodiscard]] llvm::APSInt value(Word word) const {
    return llvm::APSInt(llvm::APInt(width, word & mask()), !is_signed);
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
          llvm::APSInt value(integer.width, !integer.is_signed);
          bool exact = false;
          layout.number(a).convertToInteger(value, mode_of(rounding), &exact); // which clamps
          Word expected = value.getZExtValue();
          if (layout.number(a).isNaN()) {
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
          APFloat expected(layout.semantics());
          expected.convertFromAPInt(integer.value(a), integer.is_signed, mode_of(rounding));
          ASSERT_EQ(compute(conversion, a), layout.bits(expected)) << std::hex << a;
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
          APFloat expected = from.number(a);
          bool loses = false;
          expected.convert(to.semantics(), mode_of(rounding), &loses);
          ASSERT_EQ(compute(conversion, a), to.bits(expected)) << std::hex << a;
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
        const llvm::APSInt value = from.value(a).extend(128);
        conversion.saturate = false;
        ASSERT_EQ(compute(conversion, a), value.trunc(to.width).getZExtValue());
        conversion.saturate = true;
        const llvm::APInt clamped = to.is_signed         ? value.truncSSat(to.width)
                                    : value.isNegative() ? llvm::APInt(to.width, 0)
                                                         : value.truncUSat(to.width);
        ASSERT_EQ(compute(conversion, a), clamped.getZExtValue());
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
