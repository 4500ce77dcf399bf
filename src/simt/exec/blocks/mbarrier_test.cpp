#include "simt/exec/blocks/mbarrier.h"

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

Mbarrier of_count(std::uint64_t count) {
  Mbarrier barrier;
  EXPECT_EQ(barrier.init(count), "");
  return barrier;
}

TEST(MbarrierTest, AWordHoldsWhatItIsMadeOf) {
  Mbarrier barrier = of_count(Mbarrier::kMostArrivals);
  EXPECT_EQ(barrier.complete(Mbarrier::kMostBytes), "");
  EXPECT_EQ(barrier.arrive(Mbarrier::kMostArrivals - 1, true, false), "");
  barrier.parity = true;
  const auto back = Mbarrier::of(barrier.word());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->pending, 1U);
  EXPECT_EQ(back->expected, 1U);
  EXPECT_EQ(back->transactions, -Mbarrier::kMostBytes);
  EXPECT_TRUE(back->parity);
}

TEST(MbarrierTest, OtherWordsAreNoBarriers) {
  EXPECT_FALSE(Mbarrier::of(0));
  EXPECT_FALSE(Mbarrier::of(~std::uint64_t{0}));
  EXPECT_FALSE(Mbarrier::of(0xA5A5'A5A5'A5A5'A5A5));
}

TEST(MbarrierTest, APhaseEndsWithTheLastArrivalAndTheLastByte) {
  Mbarrier barrier = of_count(2);
  EXPECT_EQ(barrier.expect(64), "");
  EXPECT_EQ(barrier.arrive(2, false, false), "");
  EXPECT_FALSE(barrier.parity);
  EXPECT_EQ(barrier.complete(48), "");
  EXPECT_FALSE(barrier.parity);
  EXPECT_EQ(barrier.complete(16), "");
  EXPECT_TRUE(barrier.parity);
  EXPECT_EQ(barrier.pending, 2U);
  // Bytes may come before they are expected.
  EXPECT_EQ(barrier.complete(16), "");
  EXPECT_EQ(barrier.expect(16), "");
  EXPECT_TRUE(barrier.parity);
  EXPECT_EQ(barrier.arrive(2, false, false), "");
  EXPECT_FALSE(barrier.parity);
}

TEST(MbarrierTest, ThoseThatDropAreNotExpectedAgain) {
  Mbarrier barrier = of_count(3);
  EXPECT_EQ(barrier.arrive(1, true, false), "");
  EXPECT_EQ(barrier.arrive(2, false, false), "");
  EXPECT_TRUE(barrier.parity);
  EXPECT_EQ(barrier.pending, 2U);
}

TEST(MbarrierTest, WhatIsWrongChangesNothing) {
  Mbarrier barrier = of_count(2);
  const std::uint64_t before = barrier.word();
  EXPECT_NE(barrier.arrive(3, false, false), "");
  EXPECT_NE(barrier.arrive(0, false, false), "");
  EXPECT_NE(barrier.arrive(2, false, true), "");
  EXPECT_NE(barrier.expect(std::int64_t{Mbarrier::kMostBytes} + 1), "");
  EXPECT_NE(barrier.complete(std::int64_t{Mbarrier::kMostBytes} + 1), "");
  EXPECT_EQ(barrier.word(), before);
  EXPECT_NE(barrier.init(0), "");
  EXPECT_NE(barrier.init(std::uint64_t{Mbarrier::kMostArrivals} + 1), "");
}

} // namespace
} // namespace gantry::simt::exec
