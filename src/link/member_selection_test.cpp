#include "link/member_selection.h"

#include <cstdio>
#include <elf.h>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>

namespace gantry::link {
namespace {

/// A relocatable object that defines one symbol and refers to another, and has nothing else.
std::vector<std::byte> object(const std::string& defined, const std::string& undefined) {
  const std::string names = std::string(1, '\0') + defined + '\0' + undefined + '\0';
  struct File {
    Elf64_Ehdr header = {};
    std::array<Elf64_Shdr, 3> sections = {};
    std::array<Elf64_Sym, 3> symbols = {};
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_ident[EI_VERSION] = EV_CURRENT;
  file.header.e_type = ET_REL;
  file.header.e_machine = EM_X86_64;
  file.header.e_version = EV_CURRENT;
  file.header.e_ehsize = sizeof(Elf64_Ehdr);
  file.header.e_shoff = offsetof(File, sections);
  file.header.e_shentsize = sizeof(Elf64_Shdr);
  file.header.e_shnum = static_cast<Elf64_Half>(file.sections.size());
  file.header.e_shstrndx = 2;
  Elf64_Shdr& symbols = file.sections[1];
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_offset = offsetof(File, symbols);
  symbols.sh_size = sizeof file.symbols;
  symbols.sh_link = 2;
  symbols.sh_info = 1;
  symbols.sh_entsize = sizeof(Elf64_Sym);
  file.sections[2].sh_type = SHT_STRTAB;
  file.sections[2].sh_offset = sizeof(File);
  file.sections[2].sh_size = names.size();
  file.symbols[1].st_name = 1;
  file.symbols[1].st_shndx = SHN_ABS;
  file.symbols[2].st_name = static_cast<Elf64_Word>(defined.size() + 2);
  for (std::size_t index : {1, 2}) {
    file.symbols.at(index).st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
  }
  std::vector<std::byte> bytes(sizeof file + names.size());
  std::memcpy(bytes.data(), &file, sizeof file);
  std::memcpy(bytes.data() + sizeof file, names.data(), names.size());
  return bytes;
}

std::string name(std::size_t number) {
  return "s" + std::to_string(number);
}

TEST(MemberSelection, FollowsChainsOfAnyLength) {
  constexpr std::size_t kMembers = 100'000;
  std::vector<std::vector<std::byte>> members;
  SelectionInput archive{.optional = true};
  for (std::size_t index = 0; index < kMembers; ++index) {
    members.push_back(object(name(index), name(index + 1)));
    archive.objects.push_back({.origin = "a.o", .contents = members.back()});
  }
  const std::vector<std::byte> program = object("main", name(0));
  std::vector<SelectionInput> inputs = {std::move(archive),
                                        {.objects = {{.origin = "main.o", .contents = program}}}};
  // A linker that remembers archives: the references come behind this one.
  Arguments arguments;
  arguments.linker_path = testing::TempDir() + "selection_test-lld";
  std::ofstream(arguments.linker_path).put('\n');
  const Status selected = select_members(inputs, arguments, {});
  std::remove(arguments.linker_path.c_str());
  ASSERT_TRUE(selected) << selected.error().message;
  std::vector<std::size_t> all(kMembers);
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_EQ(inputs[0].selected, all);
}

} // namespace
} // namespace gantry::link
