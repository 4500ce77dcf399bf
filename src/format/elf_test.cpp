#include "format/elf.h"
#include "format/offload_binary.h"
#include "format/test_support.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::format {
namespace {

using testing::HasSubstr;

const ElfSymbol* find_symbol(const std::vector<ElfSymbol>& symbols, std::string_view name) {
  const auto found = std::ranges::find(symbols, name, &ElfSymbol::name);
  return found == symbols.end() ? nullptr : &*found;
}

std::string error_of(Bytes bytes) {
  const auto elf = ElfFile::read(bytes);
  return elf ? "no error" : elf.error().message;
}

TEST(Elf, FindsTheDeviceCodeOfAnObjectByTheSectionsType) {
  const MappedFile file = corpus_file("clang22.o");
  const auto elf = ElfFile::read(file.bytes());
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_TRUE(elf->is_relocatable());
  EXPECT_EQ(elf->machine(), EM_X86_64);
  const auto sections = find_offload_sections(*elf);
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_EQ(sections[0].name, ".llvm.offloading");
  EXPECT_FALSE(sections[0].linked);
  const auto images = read_offload_binaries(sections[0].contents);
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_EQ(images->size(), 1U);
  EXPECT_EQ(images->front().triple(), "x86_64-pc-linux-gnu");
  EXPECT_EQ(images->front().arch(), "generic");
}

TEST(Elf, TellsObjectsWithOffloadingByTheirSectionTable) {
  EXPECT_TRUE(has_offload_sections(corpus_file("clang22.o").bytes()));
  EXPECT_TRUE(has_offload_sections(corpus_file("clang19.o").bytes()));
  EXPECT_FALSE(has_offload_sections({}));
  const MappedFile file = corpus_file("clang22.o");
  for (const std::size_t size : {std::size_t{20}, sizeof(Elf64_Ehdr), file.bytes().size() / 2}) {
    EXPECT_FALSE(has_offload_sections(file.bytes().first(size)));
  }
}

TEST(Elf, SymbolsSayWhatTheHostLinkWouldTake) {
  const MappedFile file = corpus_file("clang22.o");
  const auto elf = ElfFile::read(file.bytes());
  ASSERT_TRUE(elf);
  const auto symbols = elf->symbols();
  ASSERT_TRUE(symbols) << symbols.error().message;

  const ElfSymbol* kernel = find_symbol(*symbols, "kernel");
  ASSERT_NE(kernel, nullptr);
  EXPECT_FALSE(kernel->is_undefined() || kernel->is_local() || kernel->is_weak());
  EXPECT_EQ(elf->sections()[kernel->section].name, ".text");

  const ElfSymbol* launch = find_symbol(*symbols, "__tgt_target_kernel");
  ASSERT_NE(launch, nullptr);
  EXPECT_TRUE(launch->is_undefined());

  const ElfSymbol* reference = find_symbol(*symbols, "linked_decl_tgt_ref_ptr");
  ASSERT_NE(reference, nullptr);
  EXPECT_TRUE(reference->is_weak());
  EXPECT_FALSE(reference->is_undefined());
}

TEST(Elf, RelocatableObjectsKeepTheSectionAndLinkedFilesLoseIt) {
  const MappedFile relocatable = corpus_file("relocatable.o");
  EXPECT_EQ(find_offload_sections(ElfFile::read(relocatable.bytes()).value()).size(), 1U);
  const MappedFile program = corpus_file("pie");
  EXPECT_TRUE(find_offload_sections(ElfFile::read(program.bytes()).value()).empty());
}

TEST(Elf, ContentsAtAnAddressEndWithTheSection) {
  const MappedFile file = corpus_file("static");
  const auto elf = ElfFile::read(file.bytes()).value();
  const ElfSection* entries = elf.find_section("llvm_offload_entries");
  ASSERT_NE(entries, nullptr);
  const std::uint64_t address = entries->header.sh_addr;
  EXPECT_EQ(elf.contents_at(address).size(), entries->contents.size());
  EXPECT_EQ(elf.contents_at(address + 8).data(), entries->contents.data() + 8);
  EXPECT_TRUE(elf.contents_at(0).empty());
  EXPECT_TRUE(elf.contents_at(~0ULL).empty());
}

TEST(Elf, ErrorsNameWhatIsWrong) {
  const MappedFile file = corpus_file("clang22.o");
  std::vector<std::byte> bytes = exact_copy(file.bytes());
  const auto with = [&](std::size_t offset, auto value) {
    std::vector<std::byte> damaged = bytes;
    std::memcpy(damaged.data() + offset, &value, sizeof(value));
    return error_of(damaged);
  };
  EXPECT_THAT(error_of(as_bytes("text")), HasSubstr("magic number of an ELF file"));
  EXPECT_THAT(error_of(Bytes(bytes).first(20)), HasSubstr("the file is truncated"));
  EXPECT_THAT(error_of(Bytes(bytes).first(bytes.size() - 1)), HasSubstr("the file is truncated"));
  EXPECT_THAT(with(EI_CLASS, std::byte{ELFCLASS32}), HasSubstr("has class 1 and data encoding 1"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_shoff), ~0ULL), HasSubstr("the section table"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_shnum), std::uint16_t{0xFEFF}),
              HasSubstr("65279 sections"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_shstrndx), std::uint16_t{0xFE00}),
              HasSubstr("section names are said to be in section 65024"));
  const auto table = load<Elf64_Ehdr>(bytes, 0)->e_shoff;
  EXPECT_THAT(with(table + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), ~0ULL),
              HasSubstr("section 1, "));
}

/// A file whose count of sections does not fit the header keeps it in the first section's header.
TEST(Elf, ExtendedSectionNumbersAreResolved) {
  const MappedFile file = corpus_file("clang22.o");
  std::vector<std::byte> bytes = exact_copy(file.bytes());
  auto header = load<Elf64_Ehdr>(bytes, 0).value();
  auto first = load<Elf64_Shdr>(bytes, header.e_shoff).value();
  first.sh_size = header.e_shnum;
  first.sh_link = header.e_shstrndx;
  header.e_shnum = 0;
  header.e_shstrndx = SHN_XINDEX;
  std::memcpy(bytes.data() + header.e_shoff, &first, sizeof(first));
  std::memcpy(bytes.data(), &header, sizeof(header));
  const auto elf = ElfFile::read(bytes);
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_EQ(elf->sections().size(), first.sh_size);
  EXPECT_NE(elf->find_section(".llvm.offloading"), nullptr);
}

} // namespace
} // namespace gantry::format
