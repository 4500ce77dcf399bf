#include "simt/amdgcn/objects/debug_sections.h"

#include <elf.h>

namespace gantry::simt::amdgcn {

namespace {

/// What the section has in the file.
std::optional<Bytes> contents_of(Bytes file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || (section.sh_flags & SHF_COMPRESSED) != 0) {
    return std::nullopt;
  }
  return slice(file, section.sh_offset, section.sh_size);
}

} // namespace

DebugSections copy_debug_sections(Bytes file) {
  DebugSections made;
  const auto header = load<Elf64_Ehdr>(file, 0);
  if (!header || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return made;
  }
  const auto table =
      slice(file, header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  const auto section_of = [&](std::uint64_t index) {
    return table ? load<Elf64_Shdr>(*table, index * sizeof(Elf64_Shdr)) : std::nullopt;
  };
  const auto name_section = section_of(header->e_shstrndx);
  const auto names = name_section ? contents_of(file, *name_section) : std::nullopt;
  if (!names) {
    return made;
  }
  const auto copy = [&](std::vector<std::byte>& to, const Elf64_Shdr& section) {
    const Bytes contents = contents_of(file, section).value_or(Bytes());
    to.assign(contents.begin(), contents.end());
  };
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr section = *section_of(i);
    const std::string_view name = c_string(*names, section.sh_name).value_or("");
    if (section.sh_type == SHT_SYMTAB) {
      copy(made.symbols, section);
      if (const auto linked = section_of(section.sh_link)) {
        copy(made.symbol_names, *linked);
      }
    } else if (name == ".debug_line") {
      copy(made.lines, section);
    } else if (name == ".debug_line_str") {
      copy(made.line_strings, section);
    } else if (name == ".debug_str") {
      copy(made.strings, section);
    }
  }
  return made;
}

std::optional<LocalFunction> find_function(const DebugSections& sections, std::uint64_t address) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= sections.symbols.size();
       at += sizeof(Elf64_Sym)) {
    const auto symbol = load<Elf64_Sym>(sections.symbols, at);
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
        address - symbol->st_value < symbol->st_size) {
      const auto name = c_string(sections.symbol_names, symbol->st_name);
      return LocalFunction{name.value_or(""), symbol->st_value, symbol->st_size};
    }
  }
  return std::nullopt;
}

} // namespace gantry::simt::amdgcn
