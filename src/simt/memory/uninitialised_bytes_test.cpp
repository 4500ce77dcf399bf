#include "simt/memory/uninitialised_bytes.h"

#include <gtest/gtest.h>

namespace gantry::simt {
namespace {

constexpr std::uint64_t kArena = 0x7000'0000'0000;
constexpr std::uint64_t kSize = 1 << 20;

class UninitialisedBytesTest : public ::testing::Test {
protected:
  [[nodiscard]] bool is_uninitialised(std::uint64_t offset, std::uint64_t size = 1) const {
    return bytes->all_uninitialised(kArena + offset, size);
  }

  std::unique_ptr<UninitialisedBytes> bytes = UninitialisedBytes::reserve(kArena, kSize);
};

TEST_F(UninitialisedBytesTest, UnknownMemoryIsNotUninitialised) {
  EXPECT_FALSE(is_uninitialised(0));
  EXPECT_FALSE(bytes->all_uninitialised(kArena - 8, 8));
  EXPECT_FALSE(bytes->all_uninitialised(kArena + kSize, 8));
  EXPECT_FALSE(bytes->all_uninitialised(0, 8));
}

TEST_F(UninitialisedBytesTest, EachByteForItself) {
  bytes->mark_uninitialised(kArena + 3, 21);
  EXPECT_FALSE(is_uninitialised(2));
  EXPECT_TRUE(is_uninitialised(3, 21));
  EXPECT_FALSE(is_uninitialised(24));
  bytes->mark_written(kArena + 10, 1);
  EXPECT_TRUE(is_uninitialised(3, 7));
  EXPECT_FALSE(is_uninitialised(10));
  EXPECT_TRUE(is_uninitialised(11, 13));
  EXPECT_FALSE(is_uninitialised(8, 8)) << "one byte of it has been written";
}

TEST_F(UninitialisedBytesTest, MarksEndWithTheArena) {
  bytes->mark_uninitialised(kArena + kSize - 4, 100);
  EXPECT_TRUE(is_uninitialised(kSize - 4, 4));
  EXPECT_FALSE(is_uninitialised(kSize - 4, 5));
  bytes->mark_uninitialised(kArena - 100, 50);
  bytes->mark_uninitialised(kArena + kSize, 50);
}

TEST_F(UninitialisedBytesTest, CopiesAreAsUninitialisedAsWhatIsCopied) {
  for (const std::uint64_t apart : {std::uint64_t{1024}, std::uint64_t{1027}}) {
    bytes->mark_uninitialised(kArena, 64);
    bytes->mark_written(kArena + 16, 8);
    bytes->copy(kArena + apart, kArena, 64);
    EXPECT_TRUE(is_uninitialised(apart, 16));
    EXPECT_FALSE(is_uninitialised(apart + 16));
    EXPECT_FALSE(is_uninitialised(apart + 23));
    EXPECT_TRUE(is_uninitialised(apart + 24, 40));
  }
}

TEST_F(UninitialisedBytesTest, CopiesThatOverlap) {
  bytes->mark_uninitialised(kArena, 32);
  bytes->mark_written(kArena + 8, 8);
  bytes->copy(kArena + 8, kArena, 24);
  EXPECT_TRUE(is_uninitialised(8, 8));
  EXPECT_FALSE(is_uninitialised(16));
  EXPECT_TRUE(is_uninitialised(24, 8));
  bytes->copy(kArena, kArena + 8, 24);
  EXPECT_TRUE(is_uninitialised(0, 8));
  EXPECT_FALSE(is_uninitialised(8));
  EXPECT_TRUE(is_uninitialised(16, 8));
}

TEST_F(UninitialisedBytesTest, WhatComesFromTheHostIsWritten) {
  bytes->mark_uninitialised(kArena, 64);
  bytes->copy(kArena + 8, 0x1000, 16);
  EXPECT_TRUE(is_uninitialised(0, 8));
  EXPECT_FALSE(is_uninitialised(8));
  EXPECT_FALSE(is_uninitialised(23));
  EXPECT_TRUE(is_uninitialised(24, 40));
  bytes->copy(0x1000, kArena, 16);
}

} // namespace
} // namespace gantry::simt
