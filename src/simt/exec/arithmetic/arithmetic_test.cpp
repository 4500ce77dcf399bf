// compute() against LLVM's numbers: sums, products, quotients, roots.
#include "simt/exec/testing/exact_arithmetic.h"

#include <array>
#include <cfenv>
#include <cmath>

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

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

} // namespace
} // namespace gantry::simt::exec
