#include "format/entries.h"
#include "format/test_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::format {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Every file of the corpus was made from the same four entries: what differs is how its pointers
/// are stored.
struct Case {
  const char* file;
  const char* section;
  EntryLayout layout;
  const char* requires_name;
  bool linked;
};

void PrintTo(const Case& test, std::ostream* stream) { // NOLINT: GoogleTest's name
  *stream << test.file;
}

class EntriesOfFile : public testing::TestWithParam<Case> {};

TEST_P(EntriesOfFile, AreDecoded) {
  const Case& test = GetParam();
  const MappedFile file = corpus_file(test.file);
  const auto tables = read_entry_tables(ElfFile::read(file.bytes()).value());
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->size(), 1U);
  const EntryTable& table = tables->front();
  EXPECT_EQ(table.section, test.section);
  EXPECT_EQ(table.layout, test.layout);
  ASSERT_EQ(table.entries.size(), 4U);

  const OffloadEntry& link = table.entries[0];
  EXPECT_EQ(link.role, EntryRole::kLinkVariable);
  EXPECT_EQ(link.name, "linked_decl_tgt_ref_ptr");
  EXPECT_EQ(link.symbol, "linked_decl_tgt_ref_ptr");
  EXPECT_EQ(link.size, 8U);
  EXPECT_EQ(link.flags, kEntryLink);
  EXPECT_EQ(link.address != 0, test.linked);

  const OffloadEntry& variable = table.entries[1];
  EXPECT_EQ(variable.role, EntryRole::kVariable);
  EXPECT_EQ(variable.name, "plain_decl_tgt_ref_ptr");

  const OffloadEntry& kernel = table.entries[2];
  EXPECT_EQ(kernel.role, EntryRole::kKernel);
  EXPECT_THAT(std::string(kernel.name), StartsWith("__omp_offloading_"));
  EXPECT_EQ(kernel.symbol, fmt::format(".{}.region_id", kernel.name));
  EXPECT_EQ(kernel.size, 0U);
  EXPECT_EQ(kernel.address != 0, test.linked);

  const OffloadEntry& requirement = table.entries[3];
  EXPECT_EQ(requirement.role, EntryRole::kRequires);
  EXPECT_EQ(requirement.name, test.requires_name);
  EXPECT_EQ(requirement.data, 8U) << "unified shared memory";
  EXPECT_EQ(requirement.address, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, EntriesOfFile,
    testing::Values(
        Case{"clang22.o", kCurrentEntrySection, EntryLayout::kCurrent, ".requires", false},
        Case{"clang19.o", kLegacyEntrySection, EntryLayout::kLegacy, "", false},
        Case{"relocatable.o", kCurrentEntrySection, EntryLayout::kCurrent, ".requires", false},
        Case{"pie", kCurrentEntrySection, EntryLayout::kCurrent, ".requires", true},
        Case{"relr", kCurrentEntrySection, EntryLayout::kCurrent, ".requires", true},
        Case{"static", kCurrentEntrySection, EntryLayout::kCurrent, ".requires", true},
        Case{"shared.so", kLegacyEntrySection, EntryLayout::kLegacy, "", true}));

TEST(Entries, RolesOfAllFlags) {
  EXPECT_EQ(entry_role(1, 0, 0), EntryRole::kKernel);
  EXPECT_EQ(entry_role(1, 0, 4), EntryRole::kVariable);
  EXPECT_EQ(entry_role(1, 1, 8), EntryRole::kLinkVariable);
  EXPECT_EQ(entry_role(1, 2, 0), EntryRole::kConstructor);
  EXPECT_EQ(entry_role(1, 4, 0), EntryRole::kDestructor);
  EXPECT_EQ(entry_role(1, 8, 8), EntryRole::kIndirectFunction);
  EXPECT_EQ(entry_role(1, 0x10, 0), EntryRole::kRequires);
  EXPECT_EQ(entry_role(1, 0x20, 24), EntryRole::kIndirectVtable);
  EXPECT_EQ(entry_role(1, 0x40, 0), EntryRole::kUnknown);
  EXPECT_EQ(entry_role(2, 8, 0), EntryRole::kForeign) << "CUDA's flags mean other things";
}

TEST(Entries, DamagedTablesAreErrorsThatNameTheEntry) {
  const MappedFile file = corpus_file("clang22.o");
  const auto elf = ElfFile::read(file.bytes()).value();
  const auto offset = elf.find_section("llvm_offload_entries")->header.sh_offset;
  std::vector<std::byte> bytes = exact_copy(file.bytes());
  bytes[offset + sizeof(CurrentEntry) + offsetof(CurrentEntry, version)] = std::byte{9};
  const auto tables = read_entry_tables(ElfFile::read(bytes).value());
  ASSERT_FALSE(tables);
  EXPECT_THAT(tables.error().message,
              HasSubstr("section 'llvm_offload_entries': entry 1: the entry has reserved word 0x0 "
                        "and version 9, expected 0 and 1"));
}

TEST(Entries, ObjectsDoNotRegisterThemselves) {
  const MappedFile object = corpus_file("clang22.o");
  EXPECT_FALSE(registers_itself(ElfFile::read(object.bytes()).value()).value());
}

} // namespace
} // namespace gantry::format
