// Blocks of device memory: where they lie, what surrounds them, when they come again.
#include "plugins/worker/blocks.h"

#include "plugins/worker/protocol.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

namespace gantry::worker {
namespace {

struct WorkerBlocks : ::testing::Test {
  static constexpr std::uint64_t kPages = 4096;
  static constexpr std::uint64_t kBytes = 4 << 20;

  /// Whether the worker can access all of [offset, offset + size).
  bool accessible(std::uint64_t offset, std::uint64_t size) const {
    return std::all_of(pages.begin() + static_cast<std::ptrdiff_t>(offset / kPageSize),
                       pages.begin() +
                           static_cast<std::ptrdiff_t>((offset + size - 1) / kPageSize + 1),
                       [](bool page) { return page; });
  }

  std::uint64_t allocate(std::uint64_t size, Blocks::Place place = {}) {
    const auto offset = blocks.allocate(size, place);
    EXPECT_TRUE(offset) << size;
    EXPECT_EQ(*offset % place.alignment, place.offset);
    EXPECT_TRUE(accessible(*offset, size));
    return offset.value_or(0);
  }

  bool refuses = false; ///< to make pages accessible
  std::vector<bool> pages = std::vector<bool>(kPages);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> discarded;
  std::vector<std::byte> memory = std::vector<std::byte>(kPages * kPageSize);
  Blocks blocks{memory.data(),
                {.addresses = kPages * kPageSize, .bytes = kBytes, .kept_bytes = 1 << 20},
                {.set_accessible =
                     [this](std::uint64_t first, std::uint64_t count, bool accessible) {
                       if (refuses && accessible) {
                         return false;
                       }
                       std::fill_n(pages.begin() + static_cast<std::ptrdiff_t>(first), count,
                                   accessible);
                       return true;
                     },
                 .discard = [this](std::uint64_t offset,
                                   std::uint64_t size) { discarded.emplace_back(offset, size); }}};
};

TEST_F(WorkerBlocks, ALargeBlockEndsWhereNothingCanBeAccessed) {
  for (const std::uint64_t size : {4096, 8192, 10'000, 100'000, 1'000'000}) {
    const std::uint64_t offset = allocate(size);
    const std::uint64_t end = (offset + size + 63) / 64 * 64;
    EXPECT_EQ(end % kPageSize, 0u);
    EXPECT_FALSE(accessible(end, 1)) << size;
  }
}

TEST_F(WorkerBlocks, NothingBeforeALargeBlockGoesUnnoticed) {
  for (const std::uint64_t size : {2100, 4096, 10'000, 100'000, 1'000'000}) {
    for (int again = 0; again < 8; ++again) { // in new slots, and in such as were used before
      const std::uint64_t offset = allocate(size - static_cast<std::uint64_t>(again) * 4);
      const std::uint64_t page = offset / kPageSize * kPageSize;
      EXPECT_TRUE(page == 0 || !accessible(page - 1, 1)) << size;
      if (page != offset) {
        memory[offset - 1] = std::byte{1};
        const Blocks::Released released = blocks.release(offset);
        EXPECT_EQ(released.outcome, Blocks::Release::kDamaged) << size;
        EXPECT_EQ(released.damage, -1);
      } else {
        EXPECT_EQ(blocks.release(offset).outcome, Blocks::Release::kDone);
      }
    }
  }
}

TEST_F(WorkerBlocks, ABlockLiesAsItsOriginalDoes) {
  for (const std::uint64_t size : {1, 100, 5000}) {
    for (const std::uint64_t alignment : {64, 256, 4096}) {
      for (const std::uint64_t offset : {0, 16, 48}) {
        const std::uint64_t block = allocate(size, {.alignment = alignment, .offset = offset});
        EXPECT_EQ(blocks.release(block).outcome, Blocks::Release::kDone);
      }
    }
  }
}

TEST_F(WorkerBlocks, AFreedBlockStaysAwayForAWhile) {
  const std::uint64_t large = allocate(100'000);
  const std::uint64_t small = allocate(100);
  blocks.release(large);
  blocks.release(small);
  EXPECT_FALSE(accessible(large, 1));
  EXPECT_EQ(memory[small], Blocks::kPoison);
  EXPECT_NE(allocate(100'000), large);
  EXPECT_NE(allocate(100), small);
}

TEST_F(WorkerBlocks, ALoopThatMapsAndUnmapsFindsItsMemoryAgain) {
  for (const std::uint64_t size : {100, 100'000}) {
    std::map<std::uint64_t, int> seen;
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t offset = allocate(size);
      ++seen[offset];
      blocks.release(offset);
    }
    EXPECT_LT(seen.size(), 20u);
  }
  EXPECT_TRUE(discarded.empty());
}

TEST_F(WorkerBlocks, ARedZoneTellsWhatWasWrittenPastABlock) {
  for (const std::uint64_t size : {1, 100, 5000}) {
    const std::uint64_t offset = allocate(size);
    std::memset(memory.data() + offset, 1, size);
    memory[offset + size + 7] = std::byte{1};
    const Blocks::Released released = blocks.release(offset);
    EXPECT_EQ(released.outcome, Blocks::Release::kDamaged);
    EXPECT_EQ(released.size, size);
    EXPECT_EQ(released.damage, static_cast<std::int64_t>(size + 7));
  }
  const std::uint64_t offset = allocate(100, {.alignment = 64, .offset = 32});
  memory[offset - 5] = std::byte{1};
  EXPECT_EQ(blocks.release(offset).damage, -5);
}

TEST_F(WorkerBlocks, TheBytesNextToABlockAreLookedAt) {
  for (const std::uint64_t size : {1, 63, 64, 100, 5000}) {
    const std::uint64_t past = allocate(size);
    memory[past + size] = std::byte{1};
    EXPECT_EQ(blocks.release(past).damage, static_cast<std::int64_t>(size));
    const std::uint64_t before = allocate(size, {.alignment = 64, .offset = 16});
    memory[before - 1] = std::byte{1};
    EXPECT_EQ(blocks.release(before).damage, -1) << size;
  }
}

TEST_F(WorkerBlocks, WhatCannotBeMadeAccessibleIsNotHandedOut) {
  for (const std::uint64_t size : {std::uint64_t{100}, std::uint64_t{10'000}, kBytes}) {
    refuses = true;
    EXPECT_FALSE(blocks.allocate(size)) << size;
    refuses = false;
    const std::uint64_t offset = allocate(size);
    EXPECT_EQ(blocks.release(offset).outcome, Blocks::Release::kDone);
    // A slot that was used before.
    refuses = true;
    if (const auto again = blocks.allocate(size); again) {
      EXPECT_TRUE(accessible(*again, size)) << size;
      blocks.release(*again);
    }
    refuses = false;
  }
}

TEST_F(WorkerBlocks, OnlyBlocksAreFreed) {
  const std::uint64_t offset = allocate(100);
  EXPECT_EQ(blocks.release(offset + 64).outcome, Blocks::Release::kUnknown);
  EXPECT_EQ(blocks.release(offset).outcome, Blocks::Release::kDone);
  EXPECT_EQ(blocks.release(offset).outcome, Blocks::Release::kUnknown);
}

TEST_F(WorkerBlocks, MemoryIsExhaustedAndComesBack) {
  EXPECT_FALSE(blocks.allocate(kBytes + 1));
  const std::uint64_t all = allocate(kBytes);
  EXPECT_FALSE(blocks.allocate(1));
  blocks.release(all);
  // More than is kept.
  EXPECT_EQ(discarded.size(), 1u);
  allocate(kBytes / 2);
}

TEST_F(WorkerBlocks, NewBlocksArePoisonedOnDemand) {
  blocks.poison_new_blocks();
  for (const std::uint64_t size : {1, 100, 5000}) {
    const std::uint64_t offset = allocate(size);
    EXPECT_EQ(std::count(memory.begin() + static_cast<std::ptrdiff_t>(offset),
                         memory.begin() + static_cast<std::ptrdiff_t>(offset + size),
                         Blocks::kPoison),
              static_cast<std::ptrdiff_t>(size));
  }
}

TEST_F(WorkerBlocks, ABlockLiesAtTheAddressThatIsChosen) {
  for (const std::uint64_t size : {100, 5000, 100'000}) {
    const std::uint64_t offset = allocate(size);
    EXPECT_FALSE(blocks.allocate_at(size, offset)) << "it is taken";
    EXPECT_FALSE(blocks.allocate_at(1, offset + size - 1));
    blocks.release(offset);
    EXPECT_TRUE(blocks.allocate_at(size, offset));
    EXPECT_TRUE(accessible(offset, size));
    memory[offset + size] = std::byte{1};
    EXPECT_EQ(blocks.release(offset).outcome, Blocks::Release::kDamaged);
  }
}

TEST_F(WorkerBlocks, ChosenAddressesMayComeInAnyOrder) {
  constexpr std::uint64_t kFar = 2000 * kPageSize;
  ASSERT_TRUE(blocks.allocate_at(10'000, kFar + 192));
  EXPECT_TRUE(accessible(kFar + 192, 10'000));
  EXPECT_FALSE(accessible(kFar - 1, 1));
  EXPECT_FALSE(accessible(kFar + 3 * kPageSize, 1));
  ASSERT_TRUE(blocks.allocate_at(100, kFar - 4096)) << "before it";
  ASSERT_TRUE(blocks.allocate_at(8192, kFar - 3 * kPageSize)) << "up to the one before";
  EXPECT_FALSE(blocks.allocate_at(1, kFar - 4096 + 99));
  EXPECT_FALSE(blocks.allocate_at(1, kPages * kPageSize)) << "there is no such memory";
  EXPECT_FALSE(blocks.allocate_at(kPageSize, (kPages - 1) * kPageSize + 1));
  EXPECT_FALSE(blocks.allocate_at(kBytes, 0)) << "as much is not left";
  refuses = true;
  EXPECT_FALSE(blocks.allocate_at(100, kPageSize));
  refuses = false;
  EXPECT_TRUE(blocks.allocate_at(100, kPageSize));
  EXPECT_EQ(blocks.release(kFar + 192).outcome, Blocks::Release::kDone);
  EXPECT_TRUE(blocks.allocate_at(1, kFar + 10'000));
}

TEST_F(WorkerBlocks, BlocksNeverOverlap) {
  std::uint32_t state = 5;
  const auto random = [&] { return (state = state * 1664525 + 1013904223) >> 8; };
  std::map<std::uint64_t, std::uint64_t> live;
  for (int i = 0; i < 5000; ++i) {
    if (live.size() > 20 || (!live.empty() && random() % 2 == 0)) {
      auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      EXPECT_EQ(blocks.release(victim->first).outcome, Blocks::Release::kDone);
      live.erase(victim);
      continue;
    }
    const std::uint64_t size = 1 + random() % (1u << (random() % 17));
    const Blocks::Place place = {.alignment = std::uint64_t{64} << random() % 7,
                                 .offset = random() % 64};
    auto offset = blocks.allocate(size, place);
    if (random() % 4 == 0) {
      const std::uint64_t chosen = random() % (kPages * kPageSize);
      if (offset) {
        blocks.release(*offset);
      }
      offset = blocks.allocate_at(size, chosen);
    }
    if (!offset) {
      continue;
    }
    const auto next = live.lower_bound(*offset);
    EXPECT_TRUE(next == live.end() || *offset + size <= next->first);
    EXPECT_TRUE(next == live.begin() ||
                std::prev(next)->first + std::prev(next)->second <= *offset);
    std::memset(memory.data() + *offset, 1, size);
    live[*offset] = size;
  }
}

} // namespace
} // namespace gantry::worker
