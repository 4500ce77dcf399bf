#include "simt/memory/device_heap.h"

#include "simt/memory/device_memory.h"

#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::simt {
namespace {

bool accessible(std::uint64_t address, std::uint64_t size) {
  return DeviceMemory::instance()->accessible(address, size);
}

/// A device whose heap is new and ends with the test.
class DeviceHeap : public testing::Test {
protected:
  void TearDown() override {
    release_heap(kDevice);
    set_limits(kDevice, Limits{});
  }
  static constexpr std::int32_t kDevice = 5;
};

TEST_F(DeviceHeap, BlocksAreAccessibleAndNothingElse) {
  for (const std::uint64_t size : {1u, 8u, 16u, 17u, 100u, 4096u}) {
    const std::uint64_t block = device_malloc(kDevice, size);
    ASSERT_NE(block, 0u);
    EXPECT_EQ(block % 16, 0u);
    EXPECT_TRUE(accessible(block, size));
    std::memset(reinterpret_cast<void*>(block), 1, size);
    EXPECT_FALSE(accessible(block + size, 1));
    EXPECT_FALSE(accessible(block + size + 15, 1));
    EXPECT_FALSE(accessible(block - 1, 1));
  }
}

TEST_F(DeviceHeap, TheHeapIsDeviceMemoryOfItsOwnKind) {
  const std::uint64_t block = device_malloc(kDevice, 8);
  const auto found = DeviceMemory::instance()->find(block);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, MemoryKind::kHeap);
  EXPECT_EQ(found->device, kDevice);
  EXPECT_NE(found->address, block) << "the host cannot free a block";
}

TEST_F(DeviceHeap, FreedBlocksAreNotAccessible) {
  const std::uint64_t block = device_malloc(kDevice, 100);
  EXPECT_EQ(device_free(kDevice, block), FreeResult::kFreed);
  EXPECT_FALSE(accessible(block, 1));
  EXPECT_FALSE(accessible(block + 99, 1));
  EXPECT_NE(device_malloc(kDevice, 100), block) << "not at once";
}

TEST_F(DeviceHeap, FreeOfWhatIsNoBlock) {
  EXPECT_EQ(device_free(kDevice, 0), FreeResult::kFreed);
  EXPECT_EQ(device_free(kDevice, 0x1000), FreeResult::kNotFromHeap);
  const std::uint64_t block = device_malloc(kDevice, 100);
  EXPECT_EQ(device_free(kDevice, 0x1000), FreeResult::kNotFromHeap);
  EXPECT_EQ(device_free(kDevice, block + 4), FreeResult::kInside);
  EXPECT_EQ(device_free(kDevice, block + 112), FreeResult::kNotFromHeap);
  EXPECT_EQ(device_free(kDevice + 1, block), FreeResult::kNotFromHeap);
  EXPECT_EQ(device_free(kDevice, block), FreeResult::kFreed);
  EXPECT_EQ(device_free(kDevice, block), FreeResult::kFreedAlready);
}

TEST_F(DeviceHeap, BlocksOfNothingDiffer) {
  const std::uint64_t first = device_malloc(kDevice, 0);
  const std::uint64_t second = device_malloc(kDevice, 0);
  EXPECT_NE(first, 0u);
  EXPECT_NE(first, second);
  EXPECT_FALSE(accessible(first, 1));
  EXPECT_EQ(device_free(kDevice, first), FreeResult::kFreed);
  EXPECT_EQ(device_free(kDevice, second), FreeResult::kFreed);
}

TEST_F(DeviceHeap, ItEndsAndBeginsAgain) {
  ASSERT_TRUE(set_limits(kDevice, {.heap_bytes = 64 << 10, .local_bytes = 1024}));
  EXPECT_EQ(device_malloc(kDevice, 64 << 10), 0u);
  EXPECT_EQ(device_malloc(kDevice, ~std::uint64_t{0}), 0u);
  EXPECT_EQ(device_malloc(kDevice, ~std::uint64_t{0} - 40), 0u);
  std::vector<std::uint64_t> blocks;
  while (const std::uint64_t block = device_malloc(kDevice, 1000)) {
    blocks.push_back(block);
  }
  EXPECT_GT(blocks.size(), 60u);
  EXPECT_LT(blocks.size(), 66u);
  for (int round = 0; round < 10; ++round) {
    for (std::uint64_t& block : blocks) {
      ASSERT_EQ(device_free(kDevice, block), FreeResult::kFreed);
    }
    for (std::uint64_t& block : blocks) {
      block = device_malloc(kDevice, 1000);
      ASSERT_NE(block, 0u);
    }
  }
}

TEST_F(DeviceHeap, AHeapOfNothingIsExhausted) {
  ASSERT_TRUE(set_limits(kDevice, {.heap_bytes = 0, .local_bytes = 1024}));
  EXPECT_EQ(device_malloc(kDevice, 1), 0u);
}

TEST_F(DeviceHeap, ItsSizeIsSettledByTheFirstBlock) {
  EXPECT_EQ(limits_of(kDevice).heap_bytes, std::uint64_t{8} << 20);
  EXPECT_TRUE(set_limits(kDevice, {.heap_bytes = 1 << 20, .local_bytes = 2048}));
  EXPECT_EQ(limits_of(kDevice).heap_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(limits_of(kDevice).local_bytes, 2048u);
  EXPECT_EQ(limits_of(kDevice + 1).heap_bytes, std::uint64_t{8} << 20);
  ASSERT_NE(device_malloc(kDevice, 1), 0u);
  EXPECT_FALSE(set_limits(kDevice, {.heap_bytes = 2 << 20, .local_bytes = 2048}));
  EXPECT_TRUE(set_limits(kDevice, {.heap_bytes = 1 << 20, .local_bytes = 4096}));
  EXPECT_EQ(limits_of(kDevice).local_bytes, 4096u);
  release_heap(kDevice);
  EXPECT_TRUE(set_limits(kDevice, {.heap_bytes = 2 << 20, .local_bytes = 2048}));
  EXPECT_TRUE(set_limits(kDevice, {.heap_bytes = 2 << 20, .local_bytes = 8ULL << 30}));
  EXPECT_EQ(limits_of(kDevice).local_bytes, 512u << 10);
}

TEST_F(DeviceHeap, ReleasedBlocksAreGone) {
  const std::uint64_t block = device_malloc(kDevice, 64);
  release_heap(kDevice);
  EXPECT_FALSE(accessible(block, 1));
  EXPECT_EQ(device_free(kDevice, block), FreeResult::kNotFromHeap);
  EXPECT_FALSE(nearest_heap_block(block));
  EXPECT_NE(device_malloc(kDevice, 64), 0u);
}

TEST_F(DeviceHeap, NearestBlock) {
  const std::uint64_t first = device_malloc(kDevice, 64);
  const std::uint64_t second = device_malloc(kDevice, 64);
  EXPECT_EQ(nearest_heap_block(first + 10)->address, first);
  EXPECT_EQ(nearest_heap_block(first + 66)->address, first);
  EXPECT_EQ(nearest_heap_block(second - 2)->address, second);
  EXPECT_FALSE(nearest_heap_block(first)->freed);
  EXPECT_FALSE(nearest_heap_block(0x1000));
  device_free(kDevice, first);
  EXPECT_TRUE(nearest_heap_block(first + 10)->freed);
  EXPECT_EQ(nearest_heap_block(first + 10)->size, 64u);
}

TEST_F(DeviceHeap, ManyThreads) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t block = device_malloc(kDevice, 8 + static_cast<std::uint64_t>(i) % 300);
        ASSERT_NE(block, 0u);
        std::memcpy(reinterpret_cast<void*>(block), &block, sizeof block);
        std::uint64_t kept = 0;
        std::memcpy(&kept, reinterpret_cast<void*>(block), sizeof kept);
        ASSERT_EQ(kept, block);
        ASSERT_EQ(device_free(kDevice, block), FreeResult::kFreed);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

} // namespace
} // namespace gantry::simt
