#include "format/archive.h"
#include "format/archive_writer.h"
#include "format/test_support.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::format {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const Archive& archive) {
  std::vector<std::string> result;
  for (const ArchiveMember& member : archive.members()) {
    result.emplace_back(member.name);
  }
  return result;
}

std::string error_of(std::string_view text) {
  const auto archive = Archive::read(as_bytes(text));
  return archive ? "no error" : archive.error().message;
}

std::string header(std::string_view name, std::string_view size) {
  return fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", name, 0, 0, 0, 644, size);
}

TEST(Archive, MembersOfGnuAr) {
  const MappedFile file = corpus_file("gnu.a");
  const auto archive = Archive::read(file.bytes());
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_FALSE(archive->is_thin());
  EXPECT_THAT(names(*archive), ElementsAre("start.o", "clang22.o"));
  const MappedFile object = corpus_file("clang22.o");
  EXPECT_TRUE(std::ranges::equal(archive->members()[1].contents, object.bytes()));
}

TEST(Archive, ThinMembersAreFilesBesideTheArchive) {
  const MappedFile file = corpus_file("thin.a");
  const auto archive = Archive::read(file.bytes());
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_TRUE(archive->is_thin());
  EXPECT_THAT(names(*archive), ElementsAre("a_name_longer_than_fifteen_characters.o"));
  EXPECT_EQ(thin_member_path("some/folder/thin.a", archive->members()[0]),
            "some/folder/a_name_longer_than_fifteen_characters.o");
  EXPECT_EQ(thin_member_path("thin.a", {"/absolute.o", {}}), "/absolute.o");
}

TEST(Archive, BsdNamesStandBeforeTheContents) {
  const MappedFile file = corpus_file("bsd.a");
  const auto archive = Archive::read(file.bytes());
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_THAT(names(*archive), ElementsAre("a_name_longer_than_fifteen_characters.o"));
  EXPECT_TRUE(as_text(archive->members()[0].contents).starts_with("\177ELF"));
}

TEST(Archive, WhatIsWrittenIsReadBack) {
  const std::vector<NewArchiveMember> written = {{"short", as_bytes("odd")},
                                                 {"exactly_15_long", as_bytes("even")},
                                                 {"longer_than_15_characters", as_bytes("x")},
                                                 {"another_name_of_that_size", {}}};
  const auto bytes = write_archive(written);
  const auto archive = Archive::read(bytes);
  ASSERT_TRUE(archive) << archive.error().message;
  ASSERT_EQ(archive->members().size(), written.size());
  for (std::size_t index = 0; index < written.size(); ++index) {
    EXPECT_EQ(archive->members()[index].name, written[index].name);
    EXPECT_EQ(as_text(archive->members()[index].contents), as_text(written[index].contents));
  }
}

TEST(Archive, ErrorsNameWhatIsWrong) {
  const std::string magic = "!<arch>\n";
  EXPECT_THAT(error_of("text"), HasSubstr("magic number '!<arch>'"));
  EXPECT_THAT(error_of(magic + "short"), HasSubstr("no member header at offset 8"));
  EXPECT_THAT(error_of(magic + header("a/", "5") + "1234"),
              HasSubstr("at offset 8 has 5 bytes, but only 4 are left"));
  EXPECT_THAT(error_of(magic + header("a/", "-1")), HasSubstr("is '-1', expected a decimal"));
  EXPECT_THAT(error_of(magic + header("/7", "0")), HasSubstr("past the 0 bytes of the table"));
  EXPECT_THAT(error_of(magic + header("/x", "0")), HasSubstr("'/x' is not a position"));
  EXPECT_THAT(error_of(magic + header("#1/9", "4") + "name"), HasSubstr("'#1/9' does not give"));
}

} // namespace
} // namespace gantry::format
