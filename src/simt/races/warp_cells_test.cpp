// What is decided for many words at once is what the rule for one word says.
#include "simt/races/warp_cells.h"

#include "simt/races/grid_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace gantry::simt {
namespace {

constexpr std::uint64_t time_of(std::uint64_t stamp) {
  return stamp << Cell::kStampShift;
}

/// A block with stamps 200 to 209, of which those to 204 are ordered, in a launch with 100 to 499;
/// all below 50 are ordered.
WarpTime make_time(bool fine) {
  WarpTime time;
  time.floor = time_of(50);
  time.own = time_of(200);
  time.own_ordered = time_of(5);
  time.own_all = time_of(10);
  time.launch = time_of(100);
  time.launch_all = time_of(399);
  time.several = Cell(209, 0, 0, CellKind::kSeveral).bits();
  time.several_blocks = Cell(499, 0, 0, CellKind::kSeveralBlocks).bits();
  time.fine = fine;
  time.only_newest_count = true;
  return time;
}

constexpr Stamp kNow = 209;
constexpr std::uint32_t kSite = 17;

class WarpCells : public ::testing::Test {
protected:
  /// Whether an access of thread 3 to a word with these cells was decided.
  bool decided(Cell write, Cell read, bool is_store, bool shared = false, bool fine = false) {
    writes = write.bits();
    reads = read.bits();
    return check_word(make_time(fine), &writes, &reads, mine.bits(), is_store, shared);
  }
  bool load(Cell write, Cell read, bool shared = false, bool fine = false) {
    return decided(write, read, false, shared, fine);
  }
  bool store(Cell write, Cell read, bool shared = false) {
    return decided(write, read, true, shared);
  }
  static Cell at(Stamp stamp, std::uint32_t thread, CellKind kind = CellKind::kWeak) {
    return {stamp, 5, thread, kind};
  }

  const Cell mine{kNow, kSite, 3, CellKind::kWeak};
  const Cell none;
  std::uint64_t writes = 0, reads = 0;
};

TEST_F(WarpCells, WhatIsOrderedIsReplaced) {
  for (const Cell before : {none, at(49, 9), at(204, 9), at(204, 9, CellKind::kSeveral),
                            at(49, 0, CellKind::kListed), at(49, 0, CellKind::kSeveralBlocks)}) {
    EXPECT_TRUE(load(before, before));
    EXPECT_EQ(Cell(reads), mine);
    EXPECT_EQ(Cell(writes), before);
    EXPECT_TRUE(store(before, before));
    EXPECT_EQ(Cell(writes), mine);
    EXPECT_EQ(Cell(reads), before);
  }
}

TEST_F(WarpCells, WhatIsNotOrderedIsLeftToTheWholeRule) {
  for (const Cell before : {at(205, 9), at(209, 9), at(150, 3), at(60, 3),
                            at(499, 0, CellKind::kListed), at(209, 9, CellKind::kStrong)}) {
    EXPECT_FALSE(load(before, none));
    EXPECT_EQ(reads, 0u);
    EXPECT_FALSE(store(before, none));
    EXPECT_EQ(Cell(writes), before);
    EXPECT_FALSE(store(none, before));
    EXPECT_EQ(writes, 0u);
  }
}

TEST_F(WarpCells, TheSameThread) {
  EXPECT_TRUE(load(at(kNow, 3), at(kNow, 3)));
  EXPECT_EQ(Cell(reads), at(kNow, 3)) << "the first one is kept";
  EXPECT_TRUE(store(at(kNow, 3), at(kNow, 3)));
  EXPECT_EQ(Cell(writes), mine);
  EXPECT_FALSE(load(none, at(kNow, 3, CellKind::kStrong)));
  EXPECT_FALSE(store(none, at(kNow, 3, CellKind::kSeveral)));
}

TEST_F(WarpCells, ReadsOfSeveral) {
  EXPECT_TRUE(load(none, at(kNow, 9)));
  EXPECT_EQ(Cell(reads), Cell(kNow, kSite, 3, CellKind::kSeveral));
  EXPECT_TRUE(load(none, at(kNow, 9, CellKind::kSeveral)));
  EXPECT_EQ(Cell(reads), at(kNow, 9, CellKind::kSeveral));
  for (const Cell before : {at(150, 9), at(150, 9, CellKind::kSeveral), at(498, 3)}) {
    EXPECT_TRUE(load(none, before));
    EXPECT_EQ(Cell(reads), Cell(499, kSite, 3, CellKind::kSeveralBlocks));
  }
  EXPECT_TRUE(load(none, at(499, 9, CellKind::kSeveralBlocks)));
  EXPECT_EQ(Cell(reads), at(499, 9, CellKind::kSeveralBlocks));
  EXPECT_FALSE(load(none, at(60, 9))) << "of another launch";
  EXPECT_FALSE(load(none, at(kNow, 9, CellKind::kStrong)));
  EXPECT_FALSE(load(none, at(150, 9, CellKind::kStrong)));
  EXPECT_FALSE(load(none, at(kNow, 9), false, /*fine=*/true));
}

TEST_F(WarpCells, InSharedMemoryOtherBlocksAreOver) {
  EXPECT_TRUE(load(at(150, 9), at(150, 9), /*shared=*/true));
  EXPECT_EQ(Cell(reads), mine);
  EXPECT_TRUE(store(at(150, 9), at(150, 9), /*shared=*/true));
  EXPECT_FALSE(load(at(kNow, 9), none, /*shared=*/true));
  EXPECT_FALSE(load(at(199, 0, CellKind::kListed), none, /*shared=*/true));
}

TEST_F(WarpCells, ALoadByAll) {
  const auto decided = [&](Cell write, Cell read, bool fine = false) {
    writes = write.bits();
    reads = read.bits();
    return check_word_of_all(make_time(fine), &writes, &reads, mine.bits(), false);
  };
  const Cell several(kNow, kSite, 3, CellKind::kSeveral);
  EXPECT_TRUE(decided(none, at(kNow, 9, CellKind::kSeveral)));
  EXPECT_EQ(Cell(reads), at(kNow, 9, CellKind::kSeveral));
  EXPECT_TRUE(decided(at(204, 1), at(499, 9, CellKind::kSeveralBlocks)));
  for (const Cell before : {none, at(204, 9, CellKind::kSeveral), at(49, 9)}) {
    EXPECT_TRUE(decided(none, before));
    EXPECT_EQ(Cell(reads), several);
    EXPECT_FALSE(decided(none, before, /*fine=*/true));
  }
  EXPECT_FALSE(decided(at(kNow, 3), at(kNow, 9, CellKind::kSeveral)));
  EXPECT_FALSE(decided(none, at(kNow, 9)));
  EXPECT_FALSE(decided(none, at(150, 9)));
}

TEST_F(WarpCells, InLockstepAWarpIsOneThread) {
  WarpTime time = make_time(false);
  time.thread_mask &= ~(std::uint64_t{31} << Cell::kThreadShift);
  writes = at(kNow, 30).bits();
  reads = 0;
  EXPECT_TRUE(check_word(time, &writes, &reads, mine.bits(), true, true));
  writes = at(kNow, 40).bits();
  EXPECT_FALSE(check_word(time, &writes, &reads, mine.bits(), true, true));
}

// Lanes with a byte or two each: a cell for those of a word.
TEST(WarpCellsOfRows, PartsOfWords) {
  for (const unsigned parts : {4u, 2u}) {
    const CellKind kind = parts == 4 ? CellKind::kBytes : CellKind::kHalves;
    const unsigned words = kLanes / parts;
    const WarpTime time = make_time(false);
    std::vector<std::uint64_t> writes(kLanes);
    std::vector<std::uint64_t> reads(kLanes);
    RowAccess row;
    row.writes = writes.data();
    row.reads = reads.data();
    row.parts = parts;
    row.lanes = kLanes;
    row.first = Cell(kNow, kSite, 64, kind).bits();
    const auto undecided = [&](bool is_store, LaneMask active = kAllLanes) {
      row.is_store = is_store;
      row.active = active;
      return row_check()(time, row);
    };
    EXPECT_EQ(undecided(true), 0u);
    for (unsigned word = 0; word < words; ++word) {
      EXPECT_EQ(Cell(writes[word]), Cell(kNow, kSite, 64 + word * parts, kind));
    }
    EXPECT_EQ(writes[words], 0u);
    EXPECT_EQ(undecided(true), 0u) << "the same threads";
    EXPECT_EQ(undecided(false), 0u);
    EXPECT_EQ(undecided(false), 0u);
    EXPECT_EQ(Cell(reads[1]), Cell(kNow, kSite, 64 + parts, kind));
    // Others have read the same bytes.
    row.first = Cell(kNow, kSite, 128, kind).bits();
    EXPECT_EQ(undecided(false), kAllLanes) << "what the first ones have written";
    std::ranges::fill(writes, 0);
    EXPECT_EQ(undecided(false), 0u);
    EXPECT_EQ(Cell(reads[1]).kind(), CellKind::kSeveral);
    EXPECT_EQ(undecided(true), kAllLanes);
    // Of a word that not all lanes access nothing is said.
    std::ranges::fill(reads, 0);
    EXPECT_EQ(undecided(true, ~(1U << parts)), ((1U << parts) - 1) << parts & ~(1U << parts));
    EXPECT_EQ(writes[1], 0u);
    // A thread's access to a whole word is not that of those that follow it.
    std::ranges::fill(writes, 0);
    writes[0] = Cell(kNow, kSite, 64, CellKind::kWeak).bits();
    row.first = Cell(kNow, kSite, 64, kind).bits();
    EXPECT_EQ(undecided(true), (1U << parts) - 1);
    std::uint64_t read = 0;
    std::uint64_t write = Cell(kNow, kSite, 3, kind).bits();
    EXPECT_FALSE(check_word(time, &write, &read, Cell(kNow, kSite, 3, CellKind::kWeak).bits(),
                            false, false));
  }
}

// Rows of all lengths and masks, of one and two words, give what each word gives by itself.
TEST(WarpCellsOfRows, AreThoseOfEachWord) {
  // NOLINTNEXTLINE(bugprone-random-generator-seed): the same numbers every time
  std::mt19937 random(1);
  const std::array<CellKind, 5> kinds = {CellKind::kWeak, CellKind::kSeveral, CellKind::kStrong,
                                         CellKind::kSeveralBlocks, CellKind::kListed};
  const auto cell = [&] {
    static constexpr std::array<Stamp, 7> kStamps = {0, 49, 150, 204, 209, 209, 499};
    return Cell(kStamps[random() % kStamps.size()], 5, random() % 32,
                random() % 2 == 0 ? CellKind::kWeak : kinds[random() % kinds.size()])
        .bits();
  };
  for (int round = 0; round < 3000; ++round) {
    const WarpTime time = make_time(random() % 4 == 0);
    RowAccess row;
    row.words = 1 + random() % 2;
    row.lanes = 1 + random() % kLanes;
    row.active = random() & (row.lanes == kLanes ? kAllLanes : (1U << row.lanes) - 1);
    row.is_store = random() % 2 == 0;
    row.shared = random() % 2 == 0;
    const unsigned first_thread = row.lanes == kLanes ? 0 : random() % (kLanes - row.lanes);
    row.first = Cell(kNow, kSite, first_thread, CellKind::kWeak).bits();
    std::vector<std::uint64_t> writes(kLanes * 2 + 8);
    std::vector<std::uint64_t> reads(kLanes * 2 + 8);
    // Mostly what is decided, so that whole vectors are.
    const bool is_simple = random() % 2 == 0;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      writes[i] = is_simple ? 0 : cell();
      reads[i] = is_simple ? Cell(204, 5, 9, CellKind::kWeak).bits() : cell();
    }
    auto expected_writes = writes;
    auto expected_reads = reads;
    LaneMask expected = 0;
    for (unsigned lane = 0; lane < row.lanes; ++lane) {
      for (unsigned word = lane * row.words; word < (lane + 1) * row.words; ++word) {
        const Cell mine(kNow, kSite, first_thread + lane, CellKind::kWeak);
        if ((row.active >> lane & 1) != 0 &&
            !check_word(time, &expected_writes[word], &expected_reads[word], mine.bits(),
                        row.is_store, row.shared)) {
          expected |= 1U << lane;
        }
      }
    }
    row.writes = writes.data();
    row.reads = reads.data();
    EXPECT_EQ(row_check()(time, row), expected);
    EXPECT_EQ(writes, expected_writes);
    EXPECT_EQ(reads, expected_reads);
  }
}

} // namespace
} // namespace gantry::simt
