#include "simt/images/compressed.h"

#include <string>

#include <gtest/gtest.h>

namespace gantry::simt::images {
namespace {

using namespace std::string_view_literals;

tl::expected<std::string, std::string_view> lz4(std::string_view content, std::uint64_t size) {
  return decompress(as_bytes(content), size, Compression::kLz4);
}

TEST(Compressed, Lz4BlocksAreSequencesOfLiteralsAndMatches) {
  // Five literals, then a match of 4 + 6 bytes from 5 bytes before, then five literals.
  EXPECT_EQ(lz4("\x56"
                "abcde\x05\x00\x50"
                "fghij"sv,
                20),
            "abcdeabcdeabcdefghij");
  EXPECT_EQ(lz4("\x00"sv, 0), "");
}

TEST(Compressed, WhatDoesNotGiveTheBytesPromisedIsDamaged) {
  const std::string_view good = "\x50"
                                "abcde"sv;
  EXPECT_EQ(lz4(good, 5), "abcde");
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{6}}) {
    EXPECT_FALSE(lz4(good, size)) << size;
  }
  EXPECT_FALSE(lz4(good.substr(0, 3), 5));
  // A match that begins before the first byte.
  EXPECT_FALSE(lz4("\x14"
                   "a\x09\x00\x50"
                   "fghij"sv,
                   14));
  EXPECT_FALSE(decompress(as_bytes(good), 5, Compression::kZstd));
  EXPECT_FALSE(decompress({}, 5, Compression::kZstd));
  EXPECT_EQ(lz4(good, std::uint64_t{1} << 40).error(), "its compressed PTX is too large");
}

} // namespace
} // namespace gantry::simt::images
