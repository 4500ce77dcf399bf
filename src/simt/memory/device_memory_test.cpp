#include "simt/memory/device_memory.h"

#include <cstring>
#include <random>
#include <set>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::simt {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

DeviceMemory& memory() {
  return *DeviceMemory::instance();
}

Allocation of(std::uint64_t size, MemoryKind kind = MemoryKind::kDevice, std::string name = {}) {
  Allocation what;
  what.size = size;
  what.kind = kind;
  what.device = 3;
  what.context = 7;
  what.name = std::move(name);
  return what;
}

/// An allocation that ends with the test.
class Block {
public:
  explicit Block(std::uint64_t size, MemoryKind kind = MemoryKind::kDevice)
      : address(memory().allocate(of(size, kind)).value()) {}
  ~Block() { memory().free(address); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::uint64_t address;
};

std::byte* pointer(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

// Compiled code reads four bytes of the shadow for each byte that it means.
TEST(DeviceMemory, TheShadowCanBeReadPastItsEnd) {
  std::uint32_t word = 0;
  iovec to = {&word, sizeof word};
  const std::uint64_t granules = memory().arena_size() / DeviceMemory::kGranule;
  const std::uint8_t* const last = memory().shadow() + granules - 1;
  iovec from = {const_cast<std::uint8_t*>(last), sizeof word};
  EXPECT_EQ(process_vm_readv(getpid(), &to, 1, &from, 1, 0), static_cast<ssize_t>(sizeof word));
}

TEST(DeviceMemory, TheArenaIsLarge) {
  EXPECT_GE(memory().arena_size(), std::uint64_t{1} << 30);
  EXPECT_EQ(memory().arena() % DeviceMemory::kAlignment, 0u);
}

TEST(DeviceMemory, MemoryIsUsableAndRemembered) {
  const auto address = memory().allocate(of(1000, MemoryKind::kGlobal, "table"));
  ASSERT_TRUE(address);
  EXPECT_EQ(*address % DeviceMemory::kAlignment, 0u);
  std::memset(pointer(*address), 0x5A, 1000);
  for (const std::uint64_t offset : {0u, 1u, 999u}) {
    const auto found = memory().find(*address + offset);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->address, *address);
    EXPECT_EQ(found->size, 1000u);
    EXPECT_EQ(found->kind, MemoryKind::kGlobal);
    EXPECT_EQ(found->device, 3);
    EXPECT_EQ(found->context, 7u);
    EXPECT_EQ(found->name, "table");
  }
  EXPECT_FALSE(memory().find(*address - 1));
  EXPECT_FALSE(memory().find(*address + 1000));
  EXPECT_TRUE(memory().free(*address));
  EXPECT_FALSE(memory().find(*address));
}

TEST(DeviceMemory, OnlyTheBeginningOfALiveAllocationIsFreed) {
  const auto address = memory().allocate(of(64)).value();
  EXPECT_FALSE(memory().free(address + 1));
  EXPECT_FALSE(memory().free(0));
  EXPECT_TRUE(memory().free(address));
  EXPECT_FALSE(memory().free(address));
}

TEST(DeviceMemory, SizesThatCannotBe) {
  EXPECT_FALSE(memory().allocate(of(0)));
  EXPECT_FALSE(memory().allocate(of(memory().arena_size())));
  EXPECT_FALSE(memory().allocate(of(memory().arena_size() - 1)));
  EXPECT_FALSE(memory().allocate(of(~std::uint64_t{0})));
  EXPECT_FALSE(memory().allocate(of(~std::uint64_t{0} - 600)));
}

TEST(DeviceMemory, AccessEndsWithTheAllocation) {
  for (const std::uint64_t size : {1u, 4u, 15u, 16u, 17u, 511u, 512u, 513u, 4096u}) {
    const Block block(size);
    EXPECT_TRUE(memory().accessible(block.address, size));
    EXPECT_TRUE(memory().accessible(block.address + size - 1, 1));
    EXPECT_FALSE(memory().accessible(block.address, size + 1));
    EXPECT_FALSE(memory().accessible(block.address + size, 1));
    EXPECT_FALSE(memory().accessible(block.address - 1, 1));
    EXPECT_FALSE(memory().accessible(block.address - 1, 2));
    // At least the guard is there, whoever the neighbour is.
    for (std::uint64_t past = 0; past < 512; ++past) {
      ASSERT_FALSE(memory().accessible(block.address + size + past, 1)) << past;
    }
  }
}

TEST(DeviceMemory, TheShadowSaysWhatAccessibleSays) {
  const Block block(100);
  const std::uint8_t* const shadow =
      memory().shadow() + (block.address - memory().arena()) / DeviceMemory::kGranule;
  EXPECT_EQ(shadow[-1], 0);
  for (int granule = 0; granule < 6; ++granule) {
    EXPECT_EQ(shadow[granule], 16);
  }
  EXPECT_EQ(shadow[6], 4);
  EXPECT_EQ(shadow[7], 0);
}

TEST(DeviceMemory, AccessOfNothingAndBeyondEverything) {
  const Block block(64);
  EXPECT_TRUE(memory().accessible(block.address, 0));
  EXPECT_FALSE(memory().accessible(0, 1));
  EXPECT_FALSE(memory().accessible(~std::uint64_t{0}, 1));
  EXPECT_FALSE(memory().accessible(~std::uint64_t{0}, 2));
  EXPECT_FALSE(memory().accessible(block.address, ~std::uint64_t{0}));
  EXPECT_FALSE(memory().accessible(memory().arena() - 8, 16));
  EXPECT_FALSE(memory().accessible(memory().arena() + memory().arena_size() - 8, 16));
  EXPECT_FALSE(memory().accessible(memory().arena() + memory().arena_size(), 1));
}

TEST(DeviceMemory, FreedMemoryIsNotAccessible) {
  for (const std::uint64_t size : {std::uint64_t{40}, 3 * kMegabyte + 5, 40 * kMegabyte}) {
    const auto address = memory().allocate(of(size)).value();
    EXPECT_TRUE(memory().accessible(address, size));
    memory().free(address);
    EXPECT_FALSE(memory().accessible(address, 1));
    EXPECT_FALSE(memory().accessible(address + size / 2, 1));
    EXPECT_FALSE(memory().accessible(address + size - 1, 1));
  }
}

TEST(DeviceMemory, FreedMemoryIsNotHandedOutAtOnce) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    const auto address = memory().allocate(of(4096)).value();
    EXPECT_TRUE(seen.insert(address).second);
    memory().free(address);
  }
}

TEST(DeviceMemory, FreedMemoryIsHandedOutAgainInTheEnd) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    const auto address = memory().allocate(of(1024 * kMegabyte)).value();
    pointer(address)[0] = std::byte{1};
    seen.insert(address);
    memory().free(address);
  }
  EXPECT_LT(seen.size(), 20u);
}

TEST(DeviceMemory, PagesOfLargeMemoryAreGivenBack) {
  const std::uint64_t size = 8 * kMegabyte;
  const auto address = memory().allocate(of(size)).value();
  std::memset(pointer(address), 0xFF, size);
  memory().free(address);
  EXPECT_EQ(pointer(address)[4096], std::byte{0});
  EXPECT_EQ(pointer(address)[size / 2], std::byte{0});
}

TEST(DeviceMemory, PartsOfAnAllocation) {
  const Block block(256);
  const std::uint64_t at = block.address;
  memory().set_accessible(at, 256, false);
  EXPECT_FALSE(memory().accessible(at, 1));
  EXPECT_FALSE(memory().accessible(at + 255, 1));

  memory().set_accessible(at + 32, 40, true);
  EXPECT_FALSE(memory().accessible(at + 31, 1));
  EXPECT_TRUE(memory().accessible(at + 32, 40));
  EXPECT_FALSE(memory().accessible(at + 32, 41));

  // What is in use shrinks to 5 bytes, and grows again.
  memory().set_accessible(at + 37, 35, false);
  EXPECT_TRUE(memory().accessible(at + 32, 5));
  EXPECT_FALSE(memory().accessible(at + 37, 1));
  memory().set_accessible(at + 37, 35, true);
  EXPECT_TRUE(memory().accessible(at + 32, 40));
  EXPECT_FALSE(memory().accessible(at + 72, 1));

  // Making more of a granule inaccessible than it holds, and less.
  memory().set_accessible(at + 64, 16, false);
  EXPECT_FALSE(memory().accessible(at + 64, 1));
  EXPECT_TRUE(memory().accessible(at + 32, 32));
  memory().set_accessible(at + 32, 4, false);
  EXPECT_TRUE(memory().accessible(at + 36, 12)) << "a granule cannot begin in its middle";
}

TEST(DeviceMemory, TheKnownRangeOfAnAllocationIsAllOfIt) {
  const Block block(1000);
  for (const std::uint64_t place : {0U, 16U, 999U}) {
    const auto range = memory().known_range(block.address + place);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->first, block.address);
    EXPECT_EQ(range->size, 1000);
  }
  EXPECT_FALSE(memory().known_range(block.address - 1));
  EXPECT_FALSE(memory().known_range(block.address + 1000));
  for (const MemoryKind kind : {MemoryKind::kShared, MemoryKind::kLocal, MemoryKind::kHeap}) {
    const Block other(1000, kind);
    EXPECT_FALSE(memory().known_range(other.address)) << static_cast<int>(kind);
  }
}

TEST(DeviceMemory, AllocationsThatAreKeptHaveNoKnownRange) {
  const Block block(1000);
  const std::uint64_t before = memory().removals();
  memory().set_freed(block.address, 1000, true);
  EXPECT_GT(memory().removals(), before);
  EXPECT_FALSE(memory().known_range(block.address + 8));
  memory().set_freed(block.address, 1000, false);
  const auto range = memory().known_range(block.address + 8);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->size, 1000);
}

// Against a bit for each granule of an allocation, parts of which are freed and used again.
TEST(DeviceMemory, KnownRangesOfPartsAreAccessible) {
  constexpr std::uint64_t kGranules = 12'000;
  constexpr std::uint64_t kGranule = DeviceMemory::kGranule;
  constexpr std::uint64_t kTail = 5;
  const std::uint64_t size = kGranules * kGranule + kTail;
  const Block block(size, MemoryKind::kReserved);
  EXPECT_FALSE(memory().known_range(block.address));
  std::mt19937 random(1);
  std::vector<bool> used(kGranules + 1, false);
  unsigned found = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t first = random() % (kGranules + 1);
    const std::uint64_t end = std::min(first + 1 + random() % 800, kGranules + 1);
    const bool freed = random() % 3 == 0;
    const std::uint64_t bytes = std::min(end * kGranule, size) - first * kGranule;
    memory().set_freed(block.address + first * kGranule, bytes, freed);
    std::fill(used.begin() + static_cast<std::ptrdiff_t>(first),
              used.begin() + static_cast<std::ptrdiff_t>(end), !freed);

    const std::uint64_t place = random() % size;
    const auto range = memory().known_range(block.address + place);
    ASSERT_EQ(range.has_value(), used[place / kGranule]);
    if (!range) {
      continue;
    }
    ++found;
    ASSERT_TRUE(memory().accessible(range->first, range->size));
    const std::uint64_t from = range->first - block.address;
    ASSERT_LE(from, place);
    ASSERT_GT(from + range->size, place);
    ASSERT_LE(from + range->size, size);
    const bool is_near = place - from < (60 << 10) && from + range->size - place < (60 << 10);
    if (is_near) {
      EXPECT_TRUE(from == 0 || !used[from / kGranule - 1]);
      EXPECT_TRUE(from + range->size == size || !used[(from + range->size) / kGranule]);
    }
  }
  EXPECT_GT(found, 500);
}

TEST(DeviceMemory, PartsOutsideTheArenaAreNobodys) {
  memory().set_accessible(0, 16, true);
  memory().set_accessible(memory().arena() + memory().arena_size(), 16, true);
  memory().set_accessible(memory().arena(), ~std::uint64_t{0}, true);
  EXPECT_FALSE(memory().accessible(memory().arena(), 1));
}

TEST(DeviceMemory, RegisteredHostMemory) {
  std::vector<char> host(1000);
  const auto address = reinterpret_cast<std::uint64_t>(host.data());
  EXPECT_FALSE(memory().accessible(address, 1));
  ASSERT_TRUE(memory().register_host(address, 600, 9));
  EXPECT_TRUE(memory().accessible(address, 600));
  EXPECT_FALSE(memory().accessible(address, 601));
  EXPECT_FALSE(memory().accessible(address - 1, 2));
  const auto found = memory().find(address + 599);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, MemoryKind::kRegistered);
  EXPECT_EQ(found->context, 9u);
  EXPECT_EQ(found->size, 600u);

  EXPECT_FALSE(memory().register_host(address + 599, 1, 9));
  EXPECT_FALSE(memory().register_host(address - 4, 5, 9));
  EXPECT_FALSE(memory().register_host(address, 600, 9));
  EXPECT_FALSE(memory().register_host(address - 4, 2000, 9));
  EXPECT_FALSE(memory().register_host(0, 16, 9));
  EXPECT_FALSE(memory().register_host(address + 800, 0, 9));
  EXPECT_FALSE(memory().register_host(address + 800, ~std::uint64_t{0}, 9));
  EXPECT_TRUE(memory().register_host(address + 600, 100, 9));
  EXPECT_TRUE(memory().accessible(address + 590, 20)) << "neighbours";

  EXPECT_FALSE(memory().unregister_host(address + 1));
  EXPECT_FALSE(memory().free(address));
  EXPECT_TRUE(memory().unregister_host(address));
  EXPECT_TRUE(memory().unregister_host(address + 600));
  EXPECT_FALSE(memory().unregister_host(address));
  EXPECT_FALSE(memory().accessible(address, 1));
}

TEST(DeviceMemory, WhatAThreadFoundLastMayHaveGone) {
  const auto address = memory().allocate(of(1000, MemoryKind::kDevice));
  ASSERT_TRUE(address);
  EXPECT_TRUE(memory().find(*address + 999));
  std::thread([&] { EXPECT_TRUE(memory().free(*address)); }).join();
  EXPECT_FALSE(memory().find(*address + 999));

  const std::uint64_t host = reinterpret_cast<std::uint64_t>(&address);
  EXPECT_FALSE(memory().find(host));
  std::thread([&] { EXPECT_TRUE(memory().register_host(host, 8, 9)); }).join();
  EXPECT_TRUE(memory().find(host));
  std::thread([&] { EXPECT_TRUE(memory().unregister_host(host)); }).join();
  EXPECT_FALSE(memory().find(host));
}

TEST(DeviceMemory, TheArenaCannotBeRegistered) {
  const Block block(64);
  EXPECT_FALSE(memory().register_host(block.address, 64, 1));
  EXPECT_FALSE(memory().register_host(memory().arena() - 4096, 8192, 1));
}

TEST(DeviceMemory, NearestOfTheLive) {
  const Block block(100);
  const auto past = memory().nearest(block.address + 104);
  ASSERT_TRUE(past);
  EXPECT_EQ(past->allocation.address, block.address);
  EXPECT_FALSE(past->freed);
  const auto before = memory().nearest(block.address - 1);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->allocation.address, block.address);
  const auto inside = memory().nearest(block.address + 50);
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->allocation.address, block.address);
}

TEST(DeviceMemory, NearestOfTheFreed) {
  const auto address = memory().allocate(of(64, MemoryKind::kPinned)).value();
  memory().free(address);
  const auto inside = memory().nearest(address + 10);
  ASSERT_TRUE(inside);
  EXPECT_TRUE(inside->freed);
  EXPECT_EQ(inside->allocation.address, address);
  EXPECT_EQ(inside->allocation.kind, MemoryKind::kPinned);
}

TEST(DeviceMemory, NearestPassesOverWindows) {
  const Block block(64);
  const Block window(64, MemoryKind::kLocal);
  const auto inside = memory().nearest(window.address + 3);
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->allocation.kind, MemoryKind::kLocal);
  const auto past = memory().nearest(window.address + 64);
  ASSERT_TRUE(past);
  EXPECT_NE(past->allocation.kind, MemoryKind::kLocal);
}

TEST(DeviceMemory, ManyThreads) {
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 4; ++number) {
    threads.emplace_back([number] {
      std::mt19937 random(number);
      std::vector<std::uint64_t> mine;
      for (int i = 0; i < 2000; ++i) {
        if (mine.size() < 20 && random() % 3 != 0) {
          const std::uint64_t size = 8 + (random() % 8 == 0 ? random() % 300'000 : random() % 3000);
          const auto address = memory().allocate(of(size)).value();
          std::memcpy(pointer(address), &address, sizeof address);
          mine.push_back(address);
        } else if (!mine.empty()) {
          const std::size_t which = random() % mine.size();
          const std::uint64_t address = mine[which];
          std::uint64_t kept = 0;
          std::memcpy(&kept, pointer(address), sizeof kept);
          ASSERT_EQ(kept, address) << "somebody else has the same memory";
          ASSERT_EQ(memory().find(address + 3)->address, address);
          ASSERT_TRUE(memory().accessible(address, 8));
          ASSERT_TRUE(memory().free(address));
          mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(which));
        }
        if (random() % 64 == 0) {
          (void)memory().nearest(memory().arena() + random());
        }
      }
      for (const std::uint64_t address : mine) {
        memory().free(address);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

} // namespace
} // namespace gantry::simt
