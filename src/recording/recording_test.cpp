#include "recording/recording.h"

#include <gtest/gtest.h>

namespace gantry::recording {
namespace {

std::vector<std::byte> some_bytes(std::size_t size, unsigned first) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<std::byte>(first + i));
  }
  return bytes;
}

Recording example() {
  Recording made;
  made.construct = "app.cpp:31";
  made.program = "/bin/app";
  made.plugin = "worker";
  made.kernel = "kernel";
  made.images = {some_bytes(9, 1), some_bytes(3, 70)};
  made.launch = {1, {4, 0, 0}, {128, 0, 0}, 1000, 64};
  made.arguments = {{0x1000, 0}, {4, 1}};
  made.blocks = {{0x1000, 64, "a"}, {0x2000, 128, ""}};
  made.before = {{0x1000, some_bytes(64, 3)}, {0x2010, some_bytes(16, 9)}};
  made.after = {{0x1004, some_bytes(4, 200)}};
  made.variables = {{"total", 8, some_bytes(8, 5), {}}, {"none", 16, {}, {}}};
  made.indirect = {{0x4000, "pointer", 0}, {0x5000, "table", 32}};
  made.failure = "it failed";
  return made;
}

TEST(RecordingTest, WhatIsWrittenIsRead) {
  const Recording made = example();
  const auto read = decode(encode(made));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(encode(*read), encode(made));
  EXPECT_EQ(read->construct, made.construct);
  EXPECT_EQ(read->images, made.images);
  EXPECT_EQ(read->launch.thread_limit[0], 128U);
  EXPECT_EQ(read->before[1].bytes, made.before[1].bytes);
  EXPECT_EQ(read->variables[0].before, made.variables[0].before);
  EXPECT_EQ(read->indirect[1].table_size, 32U);
  EXPECT_EQ(read->failure, made.failure);
}

TEST(RecordingTest, BlocksAreFound) {
  const Recording made = example();
  EXPECT_EQ(made.find(0x1000, 64), &made.blocks[0]);
  EXPECT_EQ(made.find(0x1001, 64), nullptr);
  EXPECT_EQ(made.find(0x207f, 1), &made.blocks[1]);
  EXPECT_EQ(made.find(0xfff, 1), nullptr);
  EXPECT_EQ(made.find(0x1000, ~std::uint64_t{0}), nullptr);
}

TEST(RecordingTest, ContentsAreZeroWhereNothingIsSaid) {
  const Recording made = example();
  const auto before = made.contents(Recording::Moment::kBefore);
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[0], made.before[0].bytes);
  EXPECT_EQ(before[1].size(), 128U);
  EXPECT_EQ(before[1][15], std::byte{0});
  EXPECT_EQ(before[1][16], std::byte{9});
  const auto after = made.contents(Recording::Moment::kAfter);
  EXPECT_EQ(after[0][3], before[0][3]);
  EXPECT_EQ(after[0][4], std::byte{200});
  EXPECT_EQ(after[0][8], before[0][8]);
  EXPECT_EQ(after[1], before[1]);
}

TEST(RecordingTest, EveryLengthButTheWholeIsRefused) {
  const std::vector<std::byte> bytes = encode(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::vector<std::byte> shorter(bytes.begin(),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(decode(shorter)) << size;
    set_checksum(shorter);
    EXPECT_FALSE(decode(shorter)) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer));
  set_checksum(longer);
  const auto read = decode(longer);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "it is damaged: it is not as long as what is in it");
}

TEST(RecordingTest, EveryChangedByteIsNoticed) {
  const std::vector<std::byte> bytes = encode(example());
  for (std::size_t i = std::string_view("gantry recording 2\n").size(); i < bytes.size(); ++i) {
    std::vector<std::byte> changed = bytes;
    changed[i] ^= std::byte{1};
    const auto read = decode(changed);
    ASSERT_FALSE(read) << i;
    EXPECT_NE(read.error().message.find("it is damaged: its bytes are not those"),
              std::string::npos)
        << read.error().message;
  }
}

TEST(RecordingTest, WhatContradictsItselfIsRefused) {
  const auto refused = [](auto change, std::string_view message) {
    Recording made = example();
    change(made);
    const auto read = decode(encode(made));
    ASSERT_FALSE(read) << message;
    EXPECT_NE(read.error().message.find(message), std::string::npos) << read.error().message;
  };
  refused([](Recording& made) { made.blocks[1].address = 0x1010; }, "not in order");
  refused([](Recording& made) { made.blocks[1].size = ~std::uint64_t{0}; }, "not in order");
  refused([](Recording& made) { made.before[1].address = 0x2071; }, "that it does not have");
  refused([](Recording& made) { made.after[0].address = 0x3000; }, "that it does not have");
  refused([](Recording& made) { made.variables[0].before.pop_back(); }, "other bytes");
  refused([](Recording& made) { made.arguments[1].variable = 3; }, "an argument");
  refused([](Recording& made) { made.images.clear(); }, "no image");
  refused([](Recording& made) { made.launch.num_teams[0] = std::uint64_t{1} << 32; }, "too large");
}

TEST(RecordingTest, OtherFilesAreRefused) {
  const auto read = [](std::string_view text) {
    return decode(std::span(reinterpret_cast<const std::byte*>(text.data()), text.size()))
        .error()
        .message;
  };
  EXPECT_EQ(read(""), "it is no recording of a kernel");
  EXPECT_EQ(read("\x7f"
                 "ELF"),
            "it is no recording of a kernel");
  EXPECT_EQ(read("gantry recording 1\n"), "it is a recording of another version of Gantry");
}

} // namespace
} // namespace gantry::recording
