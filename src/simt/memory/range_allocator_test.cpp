#include "simt/memory/range_allocator.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace gantry::simt {
namespace {

TEST(RangeAllocator, TheSmallestRangeThatFitsIsTaken) {
  RangeAllocator ranges(0, 1000, 0);
  ASSERT_EQ(ranges.take(100), 0u);
  ASSERT_EQ(ranges.take(10), 100u);
  ASSERT_EQ(ranges.take(50), 110u);
  ASSERT_EQ(ranges.take(10), 160u);
  ranges.retire(0, 100, 1);
  ranges.retire(110, 50, 1);
  EXPECT_EQ(ranges.take(40), 110u);
  EXPECT_EQ(ranges.take(90), 0u);
}

TEST(RangeAllocator, NeighboursBecomeOneRange) {
  RangeAllocator ranges(0, 300, 0);
  ASSERT_EQ(ranges.take(100), 0u);
  ASSERT_EQ(ranges.take(100), 100u);
  ASSERT_EQ(ranges.take(100), 200u);
  EXPECT_EQ(ranges.take(1), std::nullopt);
  ranges.retire(0, 100, 1);
  ranges.retire(200, 100, 1);
  EXPECT_EQ(ranges.take(300), std::nullopt);
  ranges.retire(100, 100, 1);
  EXPECT_EQ(ranges.take(300), 0u);
}

TEST(RangeAllocator, ARangeIsTakenWhereItIsWanted) {
  RangeAllocator ranges(1000, 1000, 500);
  EXPECT_TRUE(ranges.take_at(1300, 100));
  EXPECT_FALSE(ranges.take_at(1300, 1));
  EXPECT_FALSE(ranges.take_at(1250, 51));
  EXPECT_FALSE(ranges.take_at(999, 1));
  EXPECT_FALSE(ranges.take_at(1999, 2));
  EXPECT_FALSE(ranges.take_at(1400, ~std::uint64_t{0}));
  EXPECT_TRUE(ranges.take_at(1250, 50)) << "up to it";
  EXPECT_TRUE(ranges.take_at(1400, 600)) << "all behind it";
  EXPECT_EQ(ranges.take(251), std::nullopt);
  EXPECT_EQ(ranges.take(250), 1000u) << "all in front of it";
  ranges.retire(1300, 100, 1);
  EXPECT_TRUE(ranges.take_at(1310, 10)) << "out of quarantine";
  EXPECT_EQ(ranges.take(10), 1300u);
}

TEST(RangeAllocator, WhatIsRetiredWaits) {
  RangeAllocator ranges(0, 1000, 20);
  ASSERT_EQ(ranges.take(10), 0u);
  ASSERT_EQ(ranges.take(10), 10u);
  ASSERT_EQ(ranges.take(10), 20u);
  ranges.retire(0, 10, 10);
  ranges.retire(10, 10, 10);
  EXPECT_EQ(ranges.take(10), 30u);
  ranges.retire(20, 10, 10);
  EXPECT_EQ(ranges.take(10), 0u) << "the oldest has waited long enough";
  EXPECT_EQ(ranges.take(10), 40u);
}

TEST(RangeAllocator, WhatIsRetiredIsTakenWhenNothingElseIsLeft) {
  RangeAllocator ranges(0, 100, 1000);
  ASSERT_EQ(ranges.take(60), 0u);
  ranges.retire(0, 60, 60);
  EXPECT_EQ(ranges.take(50), 0u) << "40 are free";
  EXPECT_EQ(ranges.take(60), std::nullopt);
}

TEST(RangeAllocator, NeverHandsOutWhatIsTaken) {
  RangeAllocator ranges(0, 10000, 500);
  std::mt19937 random(1); // NOLINT(bugprone-random-generator-seed): the same numbers every time
  std::map<std::uint64_t, std::uint64_t> taken;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 2 == 0 || taken.empty()) {
      const std::uint64_t size = 1 + random() % 200;
      const auto address = ranges.take(size);
      if (!address) {
        continue;
      }
      const auto next = taken.lower_bound(*address);
      ASSERT_TRUE(next == taken.end() || next->first >= *address + size);
      ASSERT_TRUE(next == taken.begin() ||
                  std::prev(next)->first + std::prev(next)->second <= *address);
      ASSERT_LE(*address + size, 10000u);
      taken.emplace(*address, size);
    } else {
      auto victim = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
      ranges.retire(victim->first, victim->second, victim->second);
      taken.erase(victim);
    }
  }
  for (const auto& [address, size] : taken) {
    ranges.retire(address, size, size);
  }
  EXPECT_EQ(ranges.take(10000), 0u) << "nothing was lost";
}

TEST(RangeAllocator, OfNothingGivesNothing) {
  RangeAllocator none;
  EXPECT_EQ(none.take(1), std::nullopt);
}

} // namespace
} // namespace gantry::simt
