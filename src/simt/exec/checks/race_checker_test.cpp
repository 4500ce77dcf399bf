#include "simt/exec/checks/race_checker.h"

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

constexpr AccessFacts kLoad = {.reads = true};
constexpr AccessFacts kStore = {.writes = true};
constexpr AccessFacts kAtomic = {.reads = true, .writes = true, .strong = true};
constexpr AccessFacts kStrongLoad = {.reads = true, .strong = true};
constexpr std::uint64_t kPlace = 0x1000;

class RaceCheckerTest : public ::testing::Test {
protected:
  RaceCheckerTest() { ordering.begin(32, /*lockstep=*/false); }

  /// Whether an instruction of one thread races; its site is the thread's number.
  bool races(std::uint32_t thread, const AccessFacts& facts, std::uint64_t address = kPlace,
             std::uint32_t size = 4) {
    checker.next_instruction();
    found = checker.access(thread, address, size, facts, thread);
    return found.has_value();
  }
  void barrier() {
    for (std::uint32_t warp = 0; warp < 32; ++warp) {
      ordering.arrive(warp, kAllLanes, 0, true);
    }
    ordering.complete(0);
  }

  Ordering ordering;
  RaceChecker checker{ordering};
  std::optional<Race> found;
};

TEST_F(RaceCheckerTest, WriteAndRead) {
  EXPECT_FALSE(races(1, kStore));
  EXPECT_FALSE(races(1, kLoad));
  ASSERT_TRUE(races(2, kLoad));
  EXPECT_EQ(found->thread, 1u);
  EXPECT_EQ(found->site, 1u);
  EXPECT_TRUE(found->wrote);
}

TEST_F(RaceCheckerTest, MemoryGivenAnewIsForgotten) {
  const auto raced = [&](std::uint64_t address, std::uint64_t forgotten, std::uint64_t size) {
    checker.begin();
    EXPECT_FALSE(races(1, kStore, address));
    checker.forget(forgotten, size);
    return races(2, kStore, address);
  };
  // Of a range with more chunks than are known, and of one with fewer.
  for (const std::uint64_t size : {std::uint64_t{1} << 40, std::uint64_t{8}}) {
    EXPECT_FALSE(raced(kPlace, kPlace, size));
    EXPECT_FALSE(raced(kPlace, kPlace + 2, size));
    EXPECT_TRUE(raced(kPlace, kPlace + 4, size));
    EXPECT_FALSE(raced(kPlace + size - 4, kPlace, size));
    EXPECT_TRUE(raced(kPlace + size, kPlace, size));
  }
}

TEST_F(RaceCheckerTest, ReadAndWrite) {
  EXPECT_FALSE(races(1, kLoad));
  EXPECT_FALSE(races(2, kLoad));
  ASSERT_TRUE(races(1, kStore));
  EXPECT_EQ(found->thread, 2u);
  EXPECT_FALSE(found->wrote);
}

TEST_F(RaceCheckerTest, ABarrierOrdersThem) {
  EXPECT_FALSE(races(1, kStore));
  barrier();
  EXPECT_FALSE(races(2, kLoad));
  barrier();
  EXPECT_FALSE(races(3, kStore));
}

// Each of many readers has to be ordered with the write, not just the last.
TEST_F(RaceCheckerTest, AnyReaderCounts) {
  for (const std::uint32_t late : {0u, 500u, 1023u}) {
    checker.begin();
    for (std::uint32_t thread = 0; thread < 1024; ++thread) {
      EXPECT_FALSE(races(thread, kLoad));
    }
    barrier();
    EXPECT_FALSE(races(late, kLoad));
    const std::uint32_t writer = late == 7 ? 8 : 7;
    ASSERT_TRUE(races(writer, kStore)) << late;
    EXPECT_EQ(found->thread, late);
  }
}

// Not all of very many are kept, but some are.
TEST_F(RaceCheckerTest, OneOfManyReadersIsFound) {
  for (std::uint32_t thread = 0; thread < 1024; ++thread) {
    EXPECT_FALSE(races(thread, kLoad));
  }
  EXPECT_TRUE(races(1023, kStore));
}

TEST_F(RaceCheckerTest, ReadersBeforeABarrierDoNotCount) {
  for (std::uint32_t thread = 0; thread < 1024; ++thread) {
    EXPECT_FALSE(races(thread, kLoad));
  }
  barrier();
  EXPECT_FALSE(races(7, kLoad));
  EXPECT_FALSE(races(7, kStore));
}

TEST_F(RaceCheckerTest, AtomicOperationsRaceWithOthersAlone) {
  EXPECT_FALSE(races(1, kAtomic));
  EXPECT_FALSE(races(2, kAtomic));
  EXPECT_FALSE(races(3, kStrongLoad));
  EXPECT_FALSE(races(2, kLoad));
  EXPECT_TRUE(races(1, kLoad));
}

TEST_F(RaceCheckerTest, AWeakReadAndAnAtomicOperation) {
  EXPECT_FALSE(races(1, kLoad));
  EXPECT_TRUE(races(2, kAtomic));
}

TEST_F(RaceCheckerTest, AStrongReadAndAWeakWrite) {
  EXPECT_FALSE(races(1, kStrongLoad));
  EXPECT_FALSE(races(2, kAtomic));
  EXPECT_FALSE(races(1, kStrongLoad, kPlace + 8));
  EXPECT_TRUE(races(2, kStore, kPlace + 8));
}

TEST_F(RaceCheckerTest, PartsOfAWord) {
  EXPECT_FALSE(races(1, kStore, kPlace, 1));
  EXPECT_FALSE(races(2, kStore, kPlace + 1, 1));
  EXPECT_FALSE(races(3, kStore, kPlace + 2, 2));
  ASSERT_TRUE(races(2, kLoad, kPlace, 4));
  EXPECT_EQ(found->thread, 1u);
}

TEST_F(RaceCheckerTest, AWordAndThenAPartOfIt) {
  EXPECT_FALSE(races(1, kStore, kPlace, 8));
  EXPECT_TRUE(races(2, kStore, kPlace + 6, 1));
}

TEST_F(RaceCheckerTest, ManyBytesAtOnce) {
  constexpr std::uint64_t kAcross = 0x10FC;
  EXPECT_FALSE(races(1, kStore, kAcross, 16));
  EXPECT_FALSE(races(2, kStore, kAcross - 4, 4));
  EXPECT_FALSE(races(2, kStore, kAcross + 16, 4));
  EXPECT_TRUE(races(2, kLoad, kAcross + 12, 4));
}

TEST_F(RaceCheckerTest, LanesThatWriteWithOneInstruction) {
  checker.next_instruction();
  EXPECT_FALSE(checker.access(1, kPlace, 4, kStore, 0));
  EXPECT_FALSE(checker.access(2, kPlace, 4, kStore, 0));
  EXPECT_TRUE(races(1, kStore));
}

TEST_F(RaceCheckerTest, MemoryGivenAnewHasNoHistory) {
  EXPECT_FALSE(races(1, kStore, kPlace, 16));
  checker.forget(kPlace + 4, 8);
  EXPECT_FALSE(races(2, kLoad, kPlace + 4));
  EXPECT_FALSE(races(2, kLoad, kPlace + 8));
  EXPECT_TRUE(races(2, kLoad, kPlace));
  EXPECT_TRUE(races(2, kLoad, kPlace + 12));
}

TEST_F(RaceCheckerTest, ForgettingFarMoreThanWasUsed) {
  EXPECT_FALSE(races(1, kStore));
  checker.forget(0, std::uint64_t{1} << 32);
  EXPECT_FALSE(races(2, kLoad));
}

} // namespace
} // namespace gantry::simt::exec
