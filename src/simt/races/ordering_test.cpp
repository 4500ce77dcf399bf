#include "simt/races/ordering.h"

#include <gtest/gtest.h>

namespace gantry::simt {
namespace {

/// A block of two warps whose first stamp is kFirst.
class OrderingTest : public ::testing::Test {
protected:
  static constexpr Stamp kFirst = 100;

  OrderingTest() { begin(1); }

  void begin(std::uint32_t in_step) {
    ordering.begin({kFirst, kFirst + 4}, 2, in_step, logs, [this](std::uint32_t least) {
      const StampRange range{next, next + least};
      next = range.end + 10; // another block's are between
      return range;
    });
    alive = {};
    alive[0] = alive[1] = kAllLanes;
  }
  void full_barrier() {
    ordering.arrive(0, alive[0], 0, true);
    ordering.arrive(1, alive[1], 0, true);
    ordering.complete(0, alive);
  }
  /// Whether what a thread does now happens before what another one does after `events`.
  template <typename Events>
  bool orders(std::uint32_t thread, std::uint32_t other, const Events& events) {
    const Stamp then = ordering.now();
    events();
    ordering.finish_reads();
    return ordering.is_before(thread, then, other);
  }

  SyncLogs logs;
  Stamp next = 1000;
  std::array<LaneMask, kMostWarps> alive = {};
  Ordering ordering;
};

TEST_F(OrderingTest, NothingIsOrderedBetweenThreadsThatNeverMeet) {
  const auto nothing = [] {};
  EXPECT_TRUE(orders(3, 3, nothing));
  EXPECT_FALSE(orders(3, 4, nothing));
  EXPECT_FALSE(orders(3, 40, nothing));
}

TEST_F(OrderingTest, ABarrierOrdersWhatWasBeforeIt) {
  EXPECT_TRUE(orders(3, 40, [&] { full_barrier(); }));
  EXPECT_FALSE(orders(3, 40, [] {}));
  EXPECT_TRUE(ordering.all_before(ordering.floor()));
  EXPECT_FALSE(ordering.all_before(ordering.now()));
}

TEST_F(OrderingTest, ManyBarriersTakeMoreStamps) {
  const Stamp then = ordering.now();
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(orders(3, 40, [&] { full_barrier(); }));
    EXPECT_FALSE(orders(3, 40, [] {}));
  }
  EXPECT_GT(ordering.newest().begin, kFirst + 4);
  EXPECT_TRUE(ordering.owns(then));
  EXPECT_TRUE(ordering.is_before(3, then, 40));
  EXPECT_FALSE(ordering.owns(kFirst + 4)) << "the next block's";
  EXPECT_FALSE(ordering.owns(1000 + 64 + 1)) << "another block's";
}

TEST_F(OrderingTest, ThreadsThatHaveEndedAreOrderedByABarrier) {
  const Stamp then = ordering.now();
  alive[0] = ~(1U << 3);
  full_barrier();
  EXPECT_TRUE(ordering.is_before(3, then, 40));
}

TEST_F(OrderingTest, ABarrierOfSomeThreadsOrdersThoseAlone) {
  EXPECT_TRUE(orders(3, 7, [&] {
    ordering.arrive(0, kAllLanes, 1, true);
    ordering.complete(1, alive);
  }));
  EXPECT_FALSE(orders(3, 40, [&] {
    ordering.arrive(0, kAllLanes, 1, true);
    ordering.complete(1, alive);
  }));
}

TEST_F(OrderingTest, WhoOnlyArrivesLearnsNothing) {
  const auto meet = [&] {
    ordering.arrive(0, kAllLanes, 1, false);
    ordering.arrive(1, kAllLanes, 1, true);
    ordering.complete(1, alive);
  };
  EXPECT_TRUE(orders(0, 32, meet));
  EXPECT_FALSE(orders(32, 0, meet));
}

TEST_F(OrderingTest, WhatIsDoneAfterAnArrivalIsNotOrdered) {
  ordering.arrive(0, kAllLanes, 1, false);
  EXPECT_FALSE(orders(0, 32, [&] {
    ordering.arrive(1, kAllLanes, 1, true);
    ordering.complete(1, alive);
  }));
}

TEST_F(OrderingTest, LanesThatMeetOrderOnlyThemselves) {
  EXPECT_TRUE(orders(3, 7, [&] { ordering.synchronise(0, 0xFF); }));
  EXPECT_FALSE(orders(3, 8, [&] { ordering.synchronise(0, 0xFF); }));
}

// What one barrier has told is passed on by the next.
TEST_F(OrderingTest, OrderIsTransitive) {
  const auto meet = [&] {
    ordering.synchronise(0, 0x18);
    ordering.arrive(0, 1U << 4, 0, true);
    ordering.arrive(1, 1U << 5, 0, true);
    ordering.complete(0, alive);
  };
  EXPECT_TRUE(orders(3, 37, meet));
  EXPECT_FALSE(orders(3, 36, meet));
}

TEST_F(OrderingTest, AReleaseAndAnAcquireAtOnePlace) {
  const Stamp then = ordering.now();
  ordering.write_strongly(0, 0x100, /*releases=*/true, Scope::kBlock);
  ordering.read_strongly(32, 0x200, /*acquires=*/true, Scope::kBlock);
  EXPECT_FALSE(ordering.is_before(0, then, 32));
  ordering.read_strongly(32, 0x100, /*acquires=*/true, Scope::kBlock);
  EXPECT_TRUE(ordering.is_before(0, then, 32));
  EXPECT_FALSE(ordering.is_before(0, ordering.now(), 32));
}

TEST_F(OrderingTest, FencesMakeARelaxedPairOne) {
  const Stamp then = ordering.now();
  const auto write = [&] { ordering.write_strongly(0, 0x100, false, Scope::kBlock); };
  const auto read = [&] { ordering.read_strongly(32, 0x100, false, Scope::kBlock); };
  write();
  read();
  ordering.fence(1, 1, Scope::kBlock);
  EXPECT_FALSE(ordering.is_before(0, then, 32)) << "without a fence of the writer";
  ordering.fence(0, 1, Scope::kBlock);
  write();
  read();
  EXPECT_FALSE(ordering.is_before(0, then, 32)) << "without a fence of the reader";
  ordering.fence(1, 1, Scope::kBlock);
  EXPECT_TRUE(ordering.is_before(0, then, 32));
}

TEST_F(OrderingTest, ABarrierIsAFenceOfTheReader) {
  EXPECT_TRUE(orders(0, 33, [&] {
    ordering.fence(0, 1, Scope::kBlock);
    ordering.write_strongly(0, 0x100, false, Scope::kBlock);
    ordering.read_strongly(32, 0x100, false, Scope::kBlock);
    ordering.arrive(1, kAllLanes, 1, true);
    ordering.complete(1, alive);
  }));
}

TEST_F(OrderingTest, AReleaseIsNoAcquire) {
  EXPECT_FALSE(orders(0, 32, [&] {
    ordering.write_strongly(0, 0x100, true, Scope::kBlock);
    ordering.read_strongly(32, 0x100, false, Scope::kBlock);
    ordering.write_strongly(32, 0x200, true, Scope::kBlock);
  }));
}

TEST_F(OrderingTest, InLockstepAWarpIsOneThread) {
  begin(kLanes);
  EXPECT_TRUE(ordering.same(39, 62));
  EXPECT_EQ(ordering.first_of(39), 32u);
  EXPECT_TRUE(orders(39, 62, [] {}));
  EXPECT_FALSE(orders(0, 32, [] {}));
  EXPECT_TRUE(orders(0, 32, [&] { full_barrier(); }));
}

/// Another block beside, of which the first warp synchronises with the first block.
class OrderingOfBlocksTest : public OrderingTest {
protected:
  OrderingOfBlocksTest() {
    other.begin({500, 600}, 2, 1, logs, [](std::uint32_t) { return StampRange{}; });
  }
  /// Whether what the first block's thread did at a time happens before what the other block's does
  /// now.
  bool other_knows(std::uint32_t thread, Stamp then, std::uint32_t of) {
    other.finish_reads();
    return other.is_before(ordering.block(), thread, then, of);
  }

  Ordering other;
  static constexpr std::uint64_t kFlag = 0x400;
};

TEST_F(OrderingOfBlocksTest, AReleaseMeetsAnAcquire) {
  const Stamp then = ordering.now();
  ordering.write_strongly(5, kFlag, true, Scope::kDevice);
  EXPECT_FALSE(other_knows(5, then, 7));
  other.read_strongly(7, kFlag, true, Scope::kDevice);
  EXPECT_TRUE(other_knows(5, then, 7));
  EXPECT_FALSE(other_knows(5, then, 8)) << "another thread";
  EXPECT_FALSE(other_knows(6, then, 7)) << "of another thread";
  EXPECT_FALSE(other_knows(5, ordering.now(), 7)) << "of later";
}

// The read is told of before it takes place, the release before it is written.
TEST_F(OrderingOfBlocksTest, AReadMayBeToldOfBeforeTheReleaseThatItSees) {
  const Stamp then = ordering.now();
  other.read_strongly(7, kFlag, true, Scope::kDevice);
  ordering.write_strongly(5, kFlag, true, Scope::kDevice);
  EXPECT_TRUE(other_knows(5, then, 7));
}

TEST_F(OrderingOfBlocksTest, AReadIsAnAcquireWithAFenceBehindIt) {
  const Stamp then = ordering.now();
  ordering.fence(0, 1U << 5, Scope::kDevice);
  ordering.write_strongly(5, kFlag, false, Scope::kDevice);
  other.read_strongly(7, kFlag, false, Scope::kDevice);
  EXPECT_FALSE(other_knows(5, then, 7));
  other.fence(0, 1U << 8, Scope::kDevice);
  EXPECT_FALSE(other_knows(5, then, 7)) << "another thread's fence";
  other.fence(0, 1U << 7, Scope::kDevice);
  EXPECT_TRUE(other_knows(5, then, 7));
}

TEST_F(OrderingOfBlocksTest, BlockScopeIsForTheBlock) {
  const Stamp then = ordering.now();
  ordering.write_strongly(5, kFlag, true, Scope::kBlock);
  other.read_strongly(7, kFlag, true, Scope::kDevice);
  EXPECT_FALSE(other_knows(5, then, 7));
  ordering.fence(0, 1U << 5, Scope::kBlock);
  ordering.write_strongly(5, kFlag, false, Scope::kDevice);
  other.read_strongly(7, kFlag, true, Scope::kDevice);
  EXPECT_FALSE(other_knows(5, then, 7)) << "a fence of block scope";
  ordering.write_strongly(5, kFlag, true, Scope::kDevice);
  other.read_strongly(7, kFlag, true, Scope::kBlock);
  EXPECT_FALSE(other_knows(5, then, 7)) << "a read of block scope";
}

// The last of several blocks that count at one place knows of all: the counter's value comes from a
// chain of atomic operations. In its block a barrier tells all.
TEST_F(OrderingOfBlocksTest, TheLastBlockOfACounter) {
  Ordering last;
  last.begin({700, 800}, 2, 1, logs, [](std::uint32_t) { return StampRange{}; });
  const Stamp then = ordering.now();
  full_barrier();
  for (Ordering* block : {&ordering, &other, &last}) {
    block->fence(0, 1, Scope::kDevice);
    block->read_strongly(0, kFlag, false, Scope::kDevice);
    block->write_strongly(0, kFlag, false, Scope::kDevice);
  }
  last.arrive(0, alive[0], 0, true);
  EXPECT_FALSE(last.is_before(ordering.block(), 40, then, 40));
  last.arrive(1, alive[1], 0, true);
  last.complete(0, alive);
  EXPECT_TRUE(last.is_before(ordering.block(), 40, then, 40));
  EXPECT_TRUE(last.is_before(ordering.block(), Acquisitions::kAllThreads, then, 40));
  EXPECT_FALSE(last.is_before(ordering.block(), 40, ordering.now(), 40));
}

TEST_F(OrderingOfBlocksTest, ABarrierPassesOnWhatFencesHaveReleased) {
  const Stamp then = ordering.now();
  ordering.fence(0, kAllLanes, Scope::kDevice);
  ordering.fence(1, kAllLanes, Scope::kDevice);
  const Stamp behind = ordering.now();
  full_barrier();
  ordering.write_strongly(0, kFlag, false, Scope::kDevice);
  other.read_strongly(7, kFlag, true, Scope::kDevice);
  EXPECT_TRUE(other_knows(40, then, 7));
  EXPECT_FALSE(other_knows(40, behind, 7)) << "what was done behind the fence";
}

TEST_F(OrderingOfBlocksTest, OrderIsTransitiveThroughABlock) {
  Ordering third;
  third.begin({700, 800}, 2, 1, logs, [](std::uint32_t) { return StampRange{}; });
  const Stamp then = ordering.now();
  ordering.write_strongly(5, kFlag, true, Scope::kDevice);
  other.read_strongly(7, kFlag, true, Scope::kDevice);
  other.finish_reads();
  other.write_strongly(7, kFlag + 4, true, Scope::kDevice);
  third.read_strongly(1, kFlag + 4, true, Scope::kDevice);
  third.finish_reads();
  EXPECT_TRUE(third.is_before(ordering.block(), 5, then, 1));
}

} // namespace
} // namespace gantry::simt
