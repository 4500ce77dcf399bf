// The heap of heap.cpp on the host, whose own functions keep their names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#define malloc heap_malloc
#define free heap_free
#include "device/gpu/heap.cpp"
#undef malloc
#undef free

namespace gantry::device {
namespace {

constexpr size_t kWhole = kHeapBytes - sizeof(Header);

struct Heap : testing::Test {
  ~Heap() override {
    bytes_cut = 0;
    std::ranges::fill(given_back, 0);
  }
};

TEST_F(Heap, BlocksAreAlignedAndApart) {
  std::set<char*> blocks;
  for (size_t size : {0, 1, 16, 17, 100, 5000, 70'000}) {
    auto* const block = static_cast<char*>(heap_malloc(size));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 16, 0U);
    std::memset(block, 0xFF, size);
    EXPECT_TRUE(blocks.insert(block).second);
  }
  heap_free(nullptr);
}

TEST_F(Heap, WhatIsGivenBackIsUsedAgain) {
  void* const first = heap_malloc(100);
  void* const second = heap_malloc(100);
  heap_free(first);
  heap_free(second);
  EXPECT_EQ(heap_malloc(90), second);
  EXPECT_EQ(heap_malloc(112), first);
}

TEST_F(Heap, ItEnds) {
  EXPECT_EQ(heap_malloc(kWhole + 1), nullptr);
  EXPECT_EQ(heap_malloc(~size_t{0}), nullptr);
  void* const all = heap_malloc(kWhole);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(heap_malloc(1), nullptr);
  heap_free(all);
  EXPECT_EQ(heap_malloc(1), all); // there is no smaller block
  EXPECT_EQ(heap_malloc(1), nullptr);
}

/// Each thread finds in its blocks what it wrote there. All blocks are of one size, so that threads
/// meet at one list.
TEST_F(Heap, ThreadsHaveTheirOwn) {
  constexpr int kThreads = 4, kSteps = 1'000'000, kBlocks = 8;
  std::vector<int> wrong(kThreads);
  const auto work = [&](int thread) {
    struct Block {
      unsigned char* place = nullptr;
      size_t size = 0;
    } blocks[kBlocks];
    std::minstd_rand numbers(static_cast<unsigned>(thread + 1));
    for (int step = 0; step < kSteps; ++step) {
      Block& block = blocks[numbers() % kBlocks];
      wrong[thread] +=
          static_cast<int>(std::count_if(block.place, block.place + block.size,
                                         [&](unsigned char byte) { return byte != thread + 1; }));
      if (block.place != nullptr) {
        heap_free(block.place);
        block = {};
      } else {
        block.size = numbers() % 16;
        block.place = static_cast<unsigned char*>(heap_malloc(block.size));
        ASSERT_NE(block.place, nullptr);
        std::memset(block.place, thread + 1, block.size);
      }
    }
  };
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back(work, thread);
  }
  threads.clear();
  EXPECT_EQ(wrong, std::vector<int>(kThreads));
}

} // namespace
} // namespace gantry::device
