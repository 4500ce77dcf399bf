// The reference's floating point against the processor's, in the formats and modes that it has.
#include "number.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

// The processor rounds as the test says, not as the compiler assumes.
template <typename Float>
Float opaque(Float value) {
  volatile Float place = value;
  return place;
}

template <typename Float, typename Bits>
void check(Format format, std::mt19937_64& random) {
  constexpr std::pair<Round, int> kModes[] = {{Round::kNearestEven, FE_TONEAREST},
                                              {Round::kZero, FE_TOWARDZERO},
                                              {Round::kDown, FE_DOWNWARD},
                                              {Round::kUp, FE_UPWARD}};
  const auto number = [&](Bits range) {
    // Exponents near one another, so that operations have something to round.
    const Bits bits = static_cast<Bits>(random());
    const Bits near = static_cast<Bits>(format.one() - range / 2 + bits % range);
    return random() % 4 == 0 ? bits : static_cast<Bits>(near | (bits & format.sign()));
  };
  for (unsigned i = 0; i < 20000; ++i) {
    const auto range = static_cast<Bits>(format.smallest_normal() * (random() % 60 + 1));
    Bits bits[3] = {number(range), number(range), number(range)};
    if (i % 8 == 0) {
      bits[0] &= static_cast<Bits>(format.smallest_normal() - 1) | static_cast<Bits>(format.sign());
    }
    const Float a = opaque(std::bit_cast<Float>(bits[0]));
    const Float b = opaque(std::bit_cast<Float>(bits[1]));
    const Float c = opaque(std::bit_cast<Float>(bits[2]));
    const Number x = unpacked(bits[0], format);
    const Number y = unpacked(bits[1], format);
    const Number z = unpacked(bits[2], format);
    for (const auto& [mode, processor] : kModes) {
      std::fesetround(processor);
      const Float results[] = {opaque(opaque(a) + b),     opaque(opaque(a) * b),
                               opaque(opaque(a) / b),     std::sqrt(opaque(a)),
                               std::fma(opaque(a), b, c), std::nearbyint(opaque(a))};
      std::fesetround(FE_TONEAREST);
      const Number expected[] = {sum(x, y, mode),
                                 product(x, y),
                                 quotient(x, y),
                                 square_root(x),
                                 sum(product(x, y), z, mode),
                                 integral(x, mode)};
      for (unsigned operation = 0; operation < 6; ++operation) {
        const auto result = std::bit_cast<Bits>(results[operation]);
        const Word wanted = packed(expected[operation], format, mode);
        if (format.is_nan(result) && format.is_nan(wanted)) {
          continue;
        }
        ASSERT_EQ(result, wanted) << "operation " << operation << std::hex << " of " << bits[0]
                                  << ", " << bits[1] << ", " << bits[2] << " in mode "
                                  << static_cast<int>(mode);
      }
    }
  }
}

TEST(Number, RoundsAsTheProcessorDoes) {
  std::mt19937_64 random(1); // NOLINT(bugprone-random-generator-seed): the same numbers every time
  check<float, std::uint32_t>(kSingle, random);
  check<double, std::uint64_t>(kDouble, random);
}

TEST(Number, NarrowsAsTheProcessorDoes) {
  std::mt19937_64 random(2); // NOLINT(bugprone-random-generator-seed)
  for (unsigned i = 0; i < 100000; ++i) {
    const auto bits =
        static_cast<std::uint64_t>(0x3700'0000'0000'0000 + random() % 0x1100'0000'0000'0000);
    const auto single =
        std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    ASSERT_EQ(packed(unpacked(bits, kDouble), kSingle, Round::kNearestEven), single);
    const auto narrow = static_cast<_Float16>(std::bit_cast<float>(single));
    ASSERT_EQ(packed(unpacked(single, kSingle), kHalf, Round::kNearestEven),
              std::bit_cast<std::uint16_t>(narrow))
        << std::hex << single;
  }
}

TEST(Number, KnowsIntegers) {
  EXPECT_EQ(packed(Number::integer(-3), kHalf, Round::kZero), 0xC200);
  EXPECT_EQ(packed(Number::integer(65520), kHalf, Round::kNearestEven), 0x7C00);
  EXPECT_EQ(packed(Number::integer(65520), kHalf, Round::kZero), 0x7BFF);
  EXPECT_EQ(to_integer(integral(unpacked(0xBFC00000, kSingle), Round::kNearestEven)), -2);
  EXPECT_EQ(to_integer(integral(unpacked(0xBFC00000, kSingle), Round::kUp)), -1);
  EXPECT_GT(to_integer(unpacked(0x7F000000, kSingle)), __int128{1} << 120);
}

} // namespace
} // namespace gantry::simt::instructions
