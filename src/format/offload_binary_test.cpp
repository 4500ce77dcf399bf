#include "format/offload_binary.h"
#include "format/test_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::format {
namespace {

using testing::HasSubstr;

OffloadImage cpu_image(std::string_view contents) {
  return {ImageKind::kObject,
          OffloadKind::kOpenMp,
          0,
          {{"triple", "x86_64-pc-linux-gnu"}, {"arch", ""}},
          as_bytes(contents)};
}

OffloadImage gpu_image(std::string_view contents) {
  return {
      ImageKind::kBitcode,
      OffloadKind::kCuda,
      0,
      {{"arch", "sm_80"}, {"triple", "nvptx64-nvidia-cuda"}, {"feature", "+ptx78"}, {"x", "a=b"}},
      as_bytes(contents)};
}

/// Changes the T at `offset` of a container.
template <typename T>
void put(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  ASSERT_LE(offset + sizeof(T), bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

std::string error_of(Bytes bytes) {
  const auto images = read_offload_binaries(bytes);
  return images ? "no error" : images.error().message;
}

class OffloadBinaryVersions : public testing::TestWithParam<ContainerVersion> {};

TEST_P(OffloadBinaryVersions, WhatIsWrittenIsReadBack) {
  const std::vector<OffloadImage> written = {cpu_image("elf"), gpu_image("bitcode!!"),
                                             cpu_image("")};
  const auto bytes = write_offload_binaries(written, GetParam());
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(bytes->size() % 8, 0U);

  const auto read = read_offload_binaries(*bytes);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), written.size());
  for (std::size_t index = 0; index < written.size(); ++index) {
    EXPECT_EQ((*read)[index].image_kind, written[index].image_kind);
    EXPECT_EQ((*read)[index].offload_kind, written[index].offload_kind);
    EXPECT_EQ((*read)[index].strings, written[index].strings);
    EXPECT_EQ(as_text((*read)[index].contents), as_text(written[index].contents));
    EXPECT_EQ(((*read)[index].contents.data() - bytes->data()) % 8, 0)
        << "images start at multiples of 8 so that a loader may use them in place";
  }
  EXPECT_EQ(read->at(1).triple(), "nvptx64-nvidia-cuda");
  EXPECT_EQ(read->at(1).arch(), "sm_80");
  EXPECT_EQ(read->at(1).string("no such key"), "");
}

TEST_P(OffloadBinaryVersions, AnyDamageIsAnErrorOrReadableAndNeverACrash) {
  const std::vector<OffloadImage> images = {cpu_image("elf"), gpu_image("bitcode")};
  const auto bytes = write_offload_binaries(images, GetParam());
  ASSERT_TRUE(bytes);
  const auto read_everything = [](Bytes damaged) {
    if (const auto read = read_offload_binaries(damaged)) {
      const auto rewritten = write_offload_binaries(*read, ContainerVersion::kV2);
      EXPECT_TRUE(rewritten || rewritten.error().message.find("zero byte") != std::string::npos);
    }
  };
  for_each_truncation(*bytes, read_everything);
  for_each_corruption(*bytes, read_everything);
}

TEST_P(OffloadBinaryVersions, EveryTruncationOfOneContainerIsAnError) {
  const auto bytes = write_offload_binaries(std::vector{gpu_image("12345678")}, GetParam());
  ASSERT_TRUE(bytes);
  for (std::size_t size = 1; size < bytes->size(); ++size) {
    const auto cut = exact_copy(Bytes(*bytes).first(size));
    EXPECT_FALSE(read_offload_binaries(cut)) << "cut to " << size << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, OffloadBinaryVersions,
                         testing::Values(ContainerVersion::kV1, ContainerVersion::kV2),
                         [](const auto& version) {
                           return version.param == ContainerVersion::kV1 ? "V1" : "V2";
                         });

TEST(OffloadBinary, VersionOneIsOneContainerAnImageAndVersionTwoIsOneForAll) {
  const std::vector<OffloadImage> images = {cpu_image("a"), cpu_image("b")};
  const auto v1 = write_offload_binaries(images, ContainerVersion::kV1).value();
  const auto v2 = write_offload_binaries(images, ContainerVersion::kV2).value();
  EXPECT_EQ(load<std::uint64_t>(v1, 8).value(), v1.size() / 2);
  EXPECT_EQ(load<std::uint64_t>(v1, 24).value(), 40U);
  EXPECT_EQ(load<std::uint64_t>(v2, 8).value(), v2.size());
  EXPECT_EQ(load<std::uint64_t>(v2, 24).value(), 2U);
}

TEST(OffloadBinary, NoBytesHoldNoImages) {
  EXPECT_TRUE(read_offload_binaries({}).value().empty());
  EXPECT_TRUE(write_offload_binaries({}).value().empty());
}

TEST(OffloadBinary, ConcatenatedFilesAreReadInOrderAtAnyAlignment) {
  std::vector<std::byte> bytes(1); // puts everything at an odd address
  for (const auto* text : {"one", "two", "three"}) {
    const auto container = write_offload_binaries(std::vector{cpu_image(text)}).value();
    bytes.insert(bytes.end(), container.begin(), container.end());
  }
  bytes.resize(bytes.size() + 7); // padding of a section
  const auto images = read_offload_binaries(Bytes(bytes).subspan(1));
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_EQ(images->size(), 3U);
  EXPECT_EQ(as_text(images->at(2).contents), "three");
}

TEST(OffloadBinary, ValuesMayHoldZeroBytesInVersionTwoOnly) {
  using namespace std::string_view_literals;
  OffloadImage image;
  image.strings = {{"key", "a\0b"sv}};
  const auto v2 = write_offload_binaries(std::vector{image}, ContainerVersion::kV2).value();
  EXPECT_EQ(read_offload_binaries(v2).value().at(0).string("key"), "a\0b"sv);
  const auto v1 = write_offload_binaries(std::vector{image}, ContainerVersion::kV1);
  ASSERT_FALSE(v1);
  EXPECT_THAT(v1.error().message, HasSubstr("the value of 'key' holds a zero byte"));
}

TEST(OffloadBinary, NoPartIsReadBeforeAllAreKnownToBeDisjoint) {
  // As many entries share one map as it has strings, none of which can be read.
  constexpr std::uint64_t kEntries = 1000;
  std::vector<OffloadImage> images(kEntries);
  images[0].strings.assign(kEntries, {"k", "v"});
  auto bytes = write_offload_binaries(images, ContainerVersion::kV2).value();
  constexpr std::uint64_t kHeader = 32, kEntry = 40, kString = 24;
  const std::uint64_t map = kHeader + kEntries * kEntry;
  for (std::uint64_t index = 0; index < kEntries; ++index) {
    put<std::uint64_t>(bytes, kHeader + index * kEntry + 8, map);
    put<std::uint64_t>(bytes, kHeader + index * kEntry + 16, kEntries);
    put<std::uint64_t>(bytes, map + index * kString, ~0ULL);
  }
  EXPECT_THAT(error_of(bytes), HasSubstr(fmt::format("the string map at offset {} overlaps", map)));
}

TEST(OffloadBinary, ErrorsNameThePlaceTheGivenAndTheExpected) {
  const auto good = write_offload_binaries(std::vector{cpu_image("12345678")}).value();

  EXPECT_THAT(error_of(as_bytes("not one at all")), HasSubstr("magic number 10 FF 10 AD"));

  auto second_is_garbage = good;
  second_is_garbage.resize(good.size() + 8, std::byte{1});
  EXPECT_THAT(error_of(second_is_garbage),
              HasSubstr(fmt::format("offload binary at offset {}: ", good.size())));

  auto version = good;
  put<std::uint32_t>(version, 4, 3);
  EXPECT_THAT(error_of(version), HasSubstr("version 3, expected 1 or 2"));

  auto size = good;
  put<std::uint64_t>(size, 8, good.size() + 1);
  EXPECT_THAT(error_of(size), HasSubstr("the file is truncated"));

  auto entry_size = good;
  put<std::uint64_t>(entry_size, 24, 48);
  EXPECT_THAT(error_of(entry_size), HasSubstr("has 48 bytes, expected 40"));

  auto entry_offset = good;
  put<std::uint64_t>(entry_offset, 16, ~0ULL - 7);
  EXPECT_THAT(error_of(entry_offset), HasSubstr("the entries at offset 18446744073709551608"));

  auto string_count = good;
  put<std::uint64_t>(string_count, 32 + 16, 1ULL << 60); // times 16 bytes is 2^64
  EXPECT_THAT(error_of(string_count), HasSubstr("the string map at offset 72"));

  auto image_in_header = good;
  put<std::uint64_t>(image_in_header, 32 + 24, 0);
  EXPECT_THAT(error_of(image_in_header), HasSubstr("overlaps"));

  auto image_size = good;
  put<std::uint64_t>(image_size, 32 + 32, ~0ULL);
  EXPECT_THAT(error_of(image_size), HasSubstr("the image at offset"));

  auto key = good;
  put<std::uint64_t>(key, 72, good.size());
  EXPECT_THAT(error_of(key), HasSubstr("does not end inside the container"));
}

} // namespace
} // namespace gantry::format
