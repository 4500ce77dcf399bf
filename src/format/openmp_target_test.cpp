#include "format/openmp_target.h"

#include "format/test_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::format {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

Result<std::optional<OpenmpTargetTable>> read(Bytes bytes) {
  return ElfFile::read(bytes).and_then(read_openmp_target);
}

std::size_t section_offset(Bytes bytes) {
  return ElfFile::read(bytes).value().find_section(kOpenmpTargetSection)->header.sh_offset;
}

TEST(OpenmpTarget, ObjectsHavePairsAlone) {
  const MappedFile file = corpus_file("pairs.o");
  const auto table = read(file.bytes());
  ASSERT_TRUE(table && *table);
  EXPECT_EQ((*table)->version, 0U);
  EXPECT_THAT((*table)->targets, SizeIs(0));
  ASSERT_THAT((*table)->host, SizeIs(2));
  EXPECT_EQ((*table)->host[0].symbol, "variable");
  EXPECT_EQ((*table)->host[0].size, 4U);
  EXPECT_EQ((*table)->host[1].size, 0U);
}

TEST(OpenmpTarget, ProgramsHaveADescriptor) {
  const MappedFile file = corpus_file("pairs");
  const auto table = read(file.bytes());
  ASSERT_TRUE(table && *table) << table.error().message;
  EXPECT_EQ((*table)->version, kOpenmpTargetVersion);
  ASSERT_THAT((*table)->host, SizeIs(2));
  EXPECT_EQ((*table)->host[0].symbol, "variable");
  EXPECT_EQ((*table)->host[1].symbol, "region");
  EXPECT_NE((*table)->host[1].address, 0U);
  ASSERT_THAT((*table)->targets, SizeIs(2));
  const OpenmpTargetBlob& code = (*table)->targets[0];
  EXPECT_THAT(std::string(as_text(code.contents)), StartsWith("\177ELF"));
  EXPECT_THAT(code.names, SizeIs(0));
  // The image's own pairs are what the addresses are from.
  const auto image = read(code.contents);
  ASSERT_TRUE(image && *image);
  EXPECT_EQ((*image)->version, 0U);
  ASSERT_THAT((*image)->host, SizeIs(2));
  EXPECT_THAT(code.addresses, ElementsAre((*image)->host[0].address, (*image)->host[1].address));
  const OpenmpTargetBlob& text = (*table)->targets[1];
  EXPECT_THAT(std::string(as_text(text.contents)), StartsWith(".version"));
  EXPECT_THAT(text.names, ElementsAre("variable", "region"));
}

TEST(OpenmpTarget, OtherFilesHaveNone) {
  for (const char* name : {"pie", "clang22.o", "shared.so"}) {
    const MappedFile file = corpus_file(name);
    const auto table = read(file.bytes());
    ASSERT_TRUE(table);
    EXPECT_FALSE(*table);
  }
}

TEST(OpenmpTarget, DamagedDescriptors) {
  const MappedFile file = corpus_file("pairs");
  const std::size_t at = section_offset(file.bytes());
  const auto message = [&](std::size_t offset, std::uint8_t value) {
    std::vector<std::byte> bytes = exact_copy(file.bytes());
    bytes[at + offset] = std::byte{value};
    const auto table = read(bytes);
    return table ? std::string() : table.error().message;
  };
  constexpr std::size_t kFirst = sizeof(OpenmpTargetHeader);
  EXPECT_THAT(message(offsetof(OpenmpTargetHeader, version), 2), HasSubstr("is of version 2"));
  EXPECT_THAT(message(offsetof(OpenmpTargetHeader, target_count) + 3, 1),
              HasSubstr("targets and room"));
  EXPECT_THAT(message(kFirst + offsetof(OpenmpTargetEntry, blob_size) + 4, 1),
              HasSubstr("outside of the file"));
  EXPECT_THAT(message(kFirst + offsetof(OpenmpTargetEntry, address_count) + 4, 1),
              HasSubstr("outside of the file"));
}

} // namespace
} // namespace gantry::format
