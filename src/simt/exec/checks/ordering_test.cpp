#include "simt/exec/checks/ordering.h"

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

class OrderingTest : public ::testing::Test {
protected:
  OrderingTest() { ordering.begin(2, /*lockstep=*/false); }

  Ordering ordering;
};

TEST_F(OrderingTest, NothingIsOrderedBetweenThreadsThatNeverMeet) {
  const Moment then = ordering.now(3);
  EXPECT_TRUE(ordering.is_before(then, 3));
  EXPECT_FALSE(ordering.is_before(then, 4));
  EXPECT_FALSE(ordering.is_before(then, 40));
}

TEST_F(OrderingTest, ABarrierOrdersWhatWasBeforeIt) {
  const Moment before = ordering.now(3);
  ordering.arrive(0, kAllLanes, 0, true);
  ordering.arrive(1, kAllLanes, 0, true);
  ordering.complete(0);
  const Moment after = ordering.now(3);
  EXPECT_TRUE(ordering.is_before(before, 40));
  EXPECT_FALSE(ordering.is_before(after, 40));
}

TEST_F(OrderingTest, WhoOnlyArrivesLearnsNothing) {
  const Moment producer = ordering.now(0);
  const Moment consumer = ordering.now(32);
  ordering.arrive(0, kAllLanes, 1, false);
  ordering.arrive(1, kAllLanes, 1, true);
  ordering.complete(1);
  EXPECT_TRUE(ordering.is_before(producer, 32));
  EXPECT_FALSE(ordering.is_before(consumer, 0));
}

TEST_F(OrderingTest, LanesThatMeetOrderOnlyThemselves) {
  const Moment then = ordering.now(3);
  ordering.synchronise(0, 0xFF);
  EXPECT_TRUE(ordering.is_before(then, 7));
  EXPECT_FALSE(ordering.is_before(then, 8));
}

// What one barrier has told is passed on by the next.
TEST_F(OrderingTest, OrderIsTransitive) {
  const Moment then = ordering.now(3);
  ordering.synchronise(0, 0x18);
  ordering.arrive(0, 1U << 4, 0, true);
  ordering.arrive(1, 1U << 5, 0, true);
  ordering.complete(0);
  EXPECT_TRUE(ordering.is_before(then, 37));
  EXPECT_FALSE(ordering.is_before(then, 36));
}

TEST_F(OrderingTest, AReleaseAndAnAcquireAtOnePlace) {
  const Moment then = ordering.now(0);
  ordering.write_strongly(0, 0x100, /*releases=*/true);
  ordering.read_strongly(32, 0x200, /*acquires=*/true);
  EXPECT_FALSE(ordering.is_before(then, 32));
  ordering.read_strongly(32, 0x100, /*acquires=*/true);
  EXPECT_TRUE(ordering.is_before(then, 32));
  EXPECT_FALSE(ordering.is_before(ordering.now(0), 32));
}

TEST_F(OrderingTest, FencesMakeARelaxedPairOne) {
  const Moment then = ordering.now(0);
  ordering.write_strongly(0, 0x100, false);
  ordering.read_strongly(32, 0x100, false);
  ordering.fence(1, 1);
  EXPECT_FALSE(ordering.is_before(then, 32)) << "without a fence of the writer";
  ordering.fence(0, 1);
  ordering.write_strongly(0, 0x100, false);
  ordering.read_strongly(32, 0x100, false);
  EXPECT_FALSE(ordering.is_before(then, 32)) << "without a fence of the reader";
  ordering.fence(1, 1);
  EXPECT_TRUE(ordering.is_before(then, 32));
}

TEST_F(OrderingTest, AReleaseIsNoAcquire) {
  const Moment then = ordering.now(0);
  ordering.write_strongly(0, 0x100, true);
  ordering.read_strongly(32, 0x100, false);
  ordering.write_strongly(32, 0x200, true);
  EXPECT_FALSE(ordering.is_before(then, 32));
}

TEST(OrderingInLockstep, AWarpIsOneThread) {
  Ordering ordering;
  ordering.begin(2, /*lockstep=*/true);
  EXPECT_EQ(ordering.thread(1, 7), ordering.thread(1, 30));
  EXPECT_EQ(ordering.first_lane(1), 32u);
  const Moment then = ordering.now(0);
  EXPECT_FALSE(ordering.is_before(then, 1));
  ordering.arrive(0, kAllLanes, 0, true);
  ordering.arrive(1, kAllLanes, 0, true);
  ordering.complete(0);
  EXPECT_TRUE(ordering.is_before(then, 1));
}

} // namespace
} // namespace gantry::simt::exec
