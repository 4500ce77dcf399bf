#include "simt/exec/blocks/known_ranges.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

DeviceMemory& memory() {
  return *DeviceMemory::instance();
}

std::uint64_t allocate(std::uint64_t size) {
  Allocation what;
  what.size = size;
  return memory().allocate(what).value();
}

/// All lanes at one address.
std::array<std::uint64_t, kLanes> all_at(std::uint64_t address) {
  std::array<std::uint64_t, kLanes> addresses;
  addresses.fill(address);
  return addresses;
}

bool knows(const KnownRanges& known, std::uint32_t number, std::uint64_t address) {
  const KnownRange& range = known.ranges()[number];
  return address - range.first < range.size;
}

TEST(KnownRanges, AnAccessThatGoesOnInOneAllocationIsSoonKnown) {
  KnownRanges known;
  known.begin_block(memory());
  const std::uint64_t address = allocate(400);
  int misses = 0;
  while (!knows(known, 7, address + 40) && misses < 100) {
    known.missed(memory(), 7, kAllLanes, all_at(address + 40).data(), 4);
    ++misses;
  }
  EXPECT_GT(misses, 1) << "code that does not loop is not worth it";
  EXPECT_LT(misses, 10);
  EXPECT_EQ(known.ranges()[7].first, address);
  EXPECT_EQ(known.ranges()[7].size, 400);
  EXPECT_FALSE(knows(known, 8, address + 40)) << "another access's";
  memory().free(address);
}

TEST(KnownRanges, NothingIsKnownOfLanesInSeveralAllocations) {
  KnownRanges known;
  const std::uint64_t one = allocate(400);
  const std::uint64_t other = allocate(400);
  auto addresses = all_at(one);
  addresses[31] = other;
  for (int i = 0; i < 300; ++i) {
    known.missed(memory(), 0, kAllLanes, addresses.data(), 4);
  }
  EXPECT_FALSE(knows(known, 0, one));
  // Of lanes that are not there, nothing counts.
  for (int i = 0; i < 300; ++i) {
    known.missed(memory(), 0, kAllLanes >> 1, addresses.data(), 4);
  }
  EXPECT_TRUE(knows(known, 0, one));
  memory().free(one);
  memory().free(other);
}

TEST(KnownRanges, WhatIsFreedIsForgotten) {
  KnownRanges known;
  known.begin_block(memory());
  const std::uint64_t address = allocate(400);
  const std::uint64_t other = allocate(400);
  for (int i = 0; i < 100; ++i) {
    known.missed(memory(), 0, kAllLanes, all_at(address).data(), 4);
  }
  known.begin_block(memory());
  EXPECT_TRUE(knows(known, 0, address));
  memory().free(other);
  known.begin_block(memory());
  EXPECT_FALSE(knows(known, 0, address));
  memory().free(address);
}

// What is known at the beginning of a block is accessible, whatever has been allocated, kept, freed
// and accessed before.
TEST(KnownRanges, WhatIsKnownIsAccessible) {
  std::mt19937 random(2);
  KnownRanges known;
  struct Block {
    std::uint64_t address, size;
    bool kept;
  };
  std::vector<Block> blocks;
  unsigned checked = 0;
  for (int i = 0; i < 50'000; ++i) {
    const unsigned what = random() % 64;
    if (what == 0 || blocks.size() < 3) {
      const std::uint64_t size = 1 + random() % 500;
      blocks.push_back({allocate(size), size, false});
    } else if (what == 1 && blocks.size() > 8) {
      const std::size_t which = random() % blocks.size();
      memory().free(blocks[which].address);
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (what == 2) {
      Block& block = blocks[random() % blocks.size()];
      block.kept = !block.kept;
      memory().set_freed(block.address, block.size, block.kept);
    } else {
      const Block& block = blocks[random() % blocks.size()];
      if (!block.kept) {
        const std::uint64_t address = block.address + random() % block.size;
        known.missed(memory(), random() % 4, kAllLanes, all_at(address).data(), 1);
      }
    }
    if (random() % 8 == 0) {
      known.begin_block(memory());
      for (std::uint32_t number = 0; number < 4; ++number) {
        const KnownRange& range = known.ranges()[number];
        if (range.size != 0) {
          ++checked;
          ASSERT_TRUE(memory().accessible(range.first, range.size));
        }
      }
    }
  }
  EXPECT_GT(checked, 1000);
  for (const Block& block : blocks) {
    memory().free(block.address);
  }
}

} // namespace
} // namespace gantry::simt::exec
