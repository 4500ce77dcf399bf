#include "simt/exec/memory/fresh_bytes.h"

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

constexpr std::uint64_t kArena = 0x7000'0000'0000;
constexpr std::uint64_t kSize = 1 << 20;

class FreshBytesTest : public ::testing::Test {
protected:
  [[nodiscard]] bool is_fresh(std::uint64_t offset, std::uint64_t size = 1) const {
    return bytes->all_fresh(kArena + offset, size);
  }

  std::unique_ptr<FreshBytes> bytes = FreshBytes::reserve(kArena, kSize);
};

TEST_F(FreshBytesTest, UnknownMemoryIsNotFresh) {
  EXPECT_FALSE(is_fresh(0));
  EXPECT_FALSE(bytes->all_fresh(kArena - 8, 8));
  EXPECT_FALSE(bytes->all_fresh(kArena + kSize, 8));
  EXPECT_FALSE(bytes->all_fresh(0, 8));
}

TEST_F(FreshBytesTest, EachByteForItself) {
  bytes->mark_fresh(kArena + 3, 21);
  EXPECT_FALSE(is_fresh(2));
  EXPECT_TRUE(is_fresh(3, 21));
  EXPECT_FALSE(is_fresh(24));
  bytes->mark_written(kArena + 10, 1);
  EXPECT_TRUE(is_fresh(3, 7));
  EXPECT_FALSE(is_fresh(10));
  EXPECT_TRUE(is_fresh(11, 13));
  EXPECT_FALSE(is_fresh(8, 8)) << "one byte of it has been written";
}

TEST_F(FreshBytesTest, MarksEndWithTheArena) {
  bytes->mark_fresh(kArena + kSize - 4, 100);
  EXPECT_TRUE(is_fresh(kSize - 4, 4));
  EXPECT_FALSE(is_fresh(kSize - 4, 5));
  bytes->mark_fresh(kArena - 100, 50);
  bytes->mark_fresh(kArena + kSize, 50);
}

TEST_F(FreshBytesTest, CopiesAreAsFreshAsWhatIsCopied) {
  for (const std::uint64_t apart : {std::uint64_t{1024}, std::uint64_t{1027}}) {
    bytes->mark_fresh(kArena, 64);
    bytes->mark_written(kArena + 16, 8);
    bytes->copy(kArena + apart, kArena, 64);
    EXPECT_TRUE(is_fresh(apart, 16));
    EXPECT_FALSE(is_fresh(apart + 16));
    EXPECT_FALSE(is_fresh(apart + 23));
    EXPECT_TRUE(is_fresh(apart + 24, 40));
  }
}

TEST_F(FreshBytesTest, CopiesThatOverlap) {
  bytes->mark_fresh(kArena, 32);
  bytes->mark_written(kArena + 8, 8);
  bytes->copy(kArena + 8, kArena, 24);
  EXPECT_TRUE(is_fresh(8, 8));
  EXPECT_FALSE(is_fresh(16));
  EXPECT_TRUE(is_fresh(24, 8));
  bytes->copy(kArena, kArena + 8, 24);
  EXPECT_TRUE(is_fresh(0, 8));
  EXPECT_FALSE(is_fresh(8));
  EXPECT_TRUE(is_fresh(16, 8));
}

TEST_F(FreshBytesTest, WhatComesFromTheHostIsWritten) {
  bytes->mark_fresh(kArena, 64);
  bytes->copy(kArena + 8, 0x1000, 16);
  EXPECT_TRUE(is_fresh(0, 8));
  EXPECT_FALSE(is_fresh(8));
  EXPECT_FALSE(is_fresh(23));
  EXPECT_TRUE(is_fresh(24, 40));
  bytes->copy(0x1000, kArena, 16);
}

} // namespace
} // namespace gantry::simt::exec
