#include "simt/races/sync_log.h"

#include <gtest/gtest.h>

namespace gantry::simt {
namespace {

TEST(BlockClock, ThreadsMayBeLaterThanAll) {
  BlockClock clock;
  clock.raise_all(5);
  clock.raise(3, 9);
  clock.raise(1, 4);
  EXPECT_EQ(clock.of(3), 9u);
  EXPECT_EQ(clock.of(1), 5u);
  clock.raise(3, 7);
  EXPECT_EQ(clock.of(3), 9u);
  clock.raise_all(10);
  EXPECT_EQ(clock.of(3), 10u);
}

TEST(BlockClock, MergedClocksAreTheLaterOnes) {
  BlockClock a;
  a.raise_all(5);
  a.raise(1, 20);
  a.raise(3, 7);
  BlockClock b;
  b.raise_all(8);
  b.raise(1, 15);
  b.raise(2, 9);
  b.merge(a);
  EXPECT_EQ(b.all(), 8u);
  EXPECT_EQ(b.of(1), 20u);
  EXPECT_EQ(b.of(2), 9u);
  EXPECT_EQ(b.of(3), 8u);
}

TEST(BlockClock, AShortOneHasTheLatestTimeForAll) {
  BlockClock clock;
  clock.raise(1, 20);
  clock.raise(2, 30);
  clock.shorten(2);
  EXPECT_EQ(clock.of(7), 0u);
  clock.shorten(1);
  EXPECT_EQ(clock.of(7), 30u);
}

BlockClock clock_of(std::uint32_t thread, Stamp time) {
  BlockClock clock;
  clock.raise(thread, time);
  return clock;
}

bool covers(SyncLog& log, std::uint32_t length, Stamp block, std::uint32_t thread, Stamp time) {
  Acquisitions acquired;
  acquired.add(&log, length);
  return acquired.cover(block, thread, time);
}

TEST(SyncLog, TellsWhatWasReleasedBefore) {
  SyncLog log;
  log.append(100, clock_of(1, 105), nullptr);
  log.append(200, clock_of(2, 207), nullptr);
  log.append(100, clock_of(3, 109), nullptr);
  EXPECT_FALSE(covers(log, 0, 100, 1, 105));
  EXPECT_TRUE(covers(log, 1, 100, 1, 105));
  EXPECT_FALSE(covers(log, 1, 100, 1, 106));
  EXPECT_FALSE(covers(log, 1, 200, 2, 207));
  EXPECT_TRUE(covers(log, 2, 200, 2, 207));
  EXPECT_FALSE(covers(log, 2, 100, 3, 109));
  EXPECT_TRUE(covers(log, 3, 100, 3, 109));
  EXPECT_TRUE(covers(log, 3, 100, 1, 105)) << "and what the block has released before";
}

TEST(SyncLog, TellsWhatReleasesHaveAcquired) {
  SyncLog first;
  SyncLog second;
  first.append(100, clock_of(1, 105), nullptr);
  Acquisitions acquired;
  acquired.add(&first, 1);
  second.append(200, clock_of(2, 207), nullptr);
  second.append(200, clock_of(2, 208), &acquired);
  EXPECT_FALSE(covers(second, 1, 100, 1, 105));
  EXPECT_TRUE(covers(second, 2, 100, 1, 105));
}

// Locks are taken and released a million times.
TEST(SyncLog, ALongOneKeepsTheLastReleases) {
  SyncLog log;
  for (Stamp i = 0; i < 200'000; ++i) {
    log.append(100 * (1 + i % 3), clock_of(i % 3, i + 1), nullptr);
  }
  EXPECT_EQ(log.length(), 200'000u);
  EXPECT_TRUE(covers(log, 200'000, 200, 1, 200'000));
  EXPECT_FALSE(covers(log, 200'000, 200, 1, 200'001));
  EXPECT_TRUE(covers(log, 199'000, 200, 1, 198'000));
  EXPECT_FALSE(covers(log, 199'000, 200, 1, 199'500));
}

} // namespace
} // namespace gantry::simt
