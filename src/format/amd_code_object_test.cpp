#include "format/amd_code_object.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::format {
namespace {

std::string file(const std::string& name) {
  std::ifstream stream(std::string(GANTRY_CODE_OBJECTS) + "/" + name, std::ios::binary);
  std::string contents{std::istreambuf_iterator(stream), {}};
  EXPECT_FALSE(contents.empty()) << name;
  return contents;
}

TEST(AmdCodeObject, SaysWhatKernelsNeed) {
  for (const int version : {3, 4, 5, 6}) {
    const std::string bytes = file("gfx906_v" + std::to_string(version) + ".hsaco");
    const auto object = read_amd_code_object(as_bytes(bytes));
    ASSERT_TRUE(object && *object) << version;
    EXPECT_EQ((*object)->processor.name, "gfx906");
    EXPECT_EQ((*object)->processor.version, static_cast<unsigned>(version));
    ASSERT_EQ((*object)->kernels.size(), 2U);
    for (const AmdKernel& kernel : (*object)->kernels) {
      const bool is_first = kernel.name == "first";
      EXPECT_EQ(kernel.group_bytes, is_first ? 128U : 0U);
      EXPECT_EQ(kernel.private_bytes, is_first ? 16U : 0U);
      EXPECT_EQ(kernel.argument_bytes, is_first ? 24U : 0U);
      EXPECT_EQ(kernel.wave_size, 64U);
    }
  }
}

TEST(AmdCodeObject, OtherFilesAreNone) {
  for (const std::string& bytes : {std::string(), std::string("text"), std::string(200, '\0')}) {
    const auto object = read_amd_code_object(as_bytes(bytes));
    ASSERT_TRUE(object);
    EXPECT_FALSE(*object);
  }
}

TEST(AmdCodeObject, DamagedMetadataIsAnError) {
  std::string bytes = file("gfx906_v6.hsaco");
  const std::size_t at = bytes.find("amdhsa.kernels");
  ASSERT_NE(at, std::string::npos);
  bytes[at + std::strlen("amdhsa.kernels")] = '\xdd'; // an array of more elements than there are
  const auto object = read_amd_code_object(as_bytes(bytes));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message, "the code object's metadata is damaged");
}

/// An ELF file whose only section has `contents`.
std::vector<std::byte> program_with(const std::string& contents) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_flags = SHF_ALLOC;
  sections[1].sh_offset = sizeof header + sizeof sections;
  sections[1].sh_size = contents.size();
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sections[1].sh_offset + contents.size();
  sections[2].sh_size = 1;
  std::vector<std::byte> bytes(sections[2].sh_offset + 1);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, sections, sizeof sections);
  std::memcpy(bytes.data() + sections[1].sh_offset, contents.data(), contents.size());
  return bytes;
}

TEST(AmdCodeObject, IsFoundInAProgramsData) {
  const std::string first = file("gfx906_v4.hsaco");
  const std::string second = file("gfx1100_v6.hsaco");
  const std::vector<std::byte> program =
      program_with("data\177ELF" + first + std::string(13, '\0') + second + "\177ELF");
  const auto elf = ElfFile::read(program);
  ASSERT_TRUE(elf) << elf.error().message;
  const std::vector<Bytes> found = find_amd_code_objects(*elf);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(as_text(found[0]), first);
  EXPECT_EQ(as_text(found[1]), second);
}

TEST(AmdCodeObject, WithoutATableOfSectionsIsNotFound) {
  std::string object = file("gfx906_v4.hsaco");
  const std::size_t size = object.size();
  const std::uint64_t places[] = {0, 1, sizeof(Elf64_Ehdr) - 1, size, size + 1, ~std::uint64_t{0}};
  for (const std::uint64_t place : places) {
    std::memcpy(object.data() + offsetof(Elf64_Ehdr, e_shoff), &place, sizeof place);
    for (const std::uint16_t count : {0, 1, 0xffff}) {
      std::memcpy(object.data() + offsetof(Elf64_Ehdr, e_shnum), &count, sizeof count);
      const std::vector<std::byte> program = program_with(object);
      const auto elf = ElfFile::read(program);
      ASSERT_TRUE(elf) << elf.error().message;
      EXPECT_EQ(find_amd_code_objects(*elf).size(), place == size && count == 0 ? 1U : 0U)
          << place << ' ' << count;
    }
  }
}

TEST(AmdCodeObject, WithAnyByteChanged) {
  const std::string good = file("gfx906_v5.hsaco");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      (void)read_amd_code_object(as_bytes(bytes));
    }
  }
}

TEST(AmdCodeObject, IsReadUpToItsEnd) {
  const std::string whole = file("gfx906_v6.hsaco");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    (void)read_amd_code_object(as_bytes(std::string_view(cut.data(), cut.size())));
  }
}

} // namespace
} // namespace gantry::format
