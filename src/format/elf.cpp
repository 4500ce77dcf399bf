#include "format/elf.h"

#include "format/entry_layout.h"

#include <algorithm>

namespace gantry::format {
namespace {

/// The name that Clang gives to the section of offload binaries.
constexpr std::string_view kImageSection = ".llvm.offloading";

/// The section table's place and size. Files with 0xFF00 sections or more keep the true numbers in
/// the first section's header.
struct SectionTable {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
  std::uint64_t names = 0; ///< index of the section that holds the names
};

Result<SectionTable> locate_sections(Bytes bytes, const Elf64_Ehdr& header) {
  SectionTable table{header.e_shoff, header.e_shnum, header.e_shstrndx};
  if (table.offset == 0) {
    return SectionTable{};
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr)) {
    return fail("a section header has {} bytes, expected {}", header.e_shentsize,
                sizeof(Elf64_Shdr));
  }
  const auto first = load<Elf64_Shdr>(bytes, table.offset);
  if (!first) {
    return fail("the section table at offset {} is not inside the file's {} bytes; the file is "
                "truncated",
                table.offset, bytes.size());
  }
  if (table.count == 0) {
    table.count = first->sh_size;
  }
  if (table.names == SHN_XINDEX) {
    table.names = first->sh_link;
  }
  if (table.count > (bytes.size() - table.offset) / sizeof(Elf64_Shdr)) {
    return fail("the section table, {} sections at offset {}, is not inside the file's {} bytes; "
                "the file is truncated",
                table.count, table.offset, bytes.size());
  }
  if (table.names >= table.count && table.names != SHN_UNDEF) {
    return fail("the section names are said to be in section {}, but there are only {} sections",
                table.names, table.count);
  }
  return table;
}

Result<std::vector<ElfRelocation>> read_relocations(const ElfSection& section) {
  if (section.header.sh_entsize != sizeof(Elf64_Rela) ||
      section.contents.size() % sizeof(Elf64_Rela) != 0) {
    return fail("section '{}' has {} bytes in entries of {}, expected entries of {}", section.name,
                section.contents.size(), section.header.sh_entsize, sizeof(Elf64_Rela));
  }
  std::vector<ElfRelocation> relocations;
  relocations.reserve(section.contents.size() / sizeof(Elf64_Rela));
  for (std::size_t at = 0; at < section.contents.size(); at += sizeof(Elf64_Rela)) {
    const auto raw = load<Elf64_Rela>(section.contents, at).value();
    relocations.push_back({raw.r_offset, static_cast<std::uint32_t>(ELF64_R_TYPE(raw.r_info)),
                           static_cast<std::uint32_t>(ELF64_R_SYM(raw.r_info)), raw.r_addend});
  }
  return relocations;
}

/// Appends the relocations of every SHT_RELA section that `wanted` accepts.
template <typename Predicate>
Result<std::vector<ElfRelocation>> collect_relocations(std::span<const ElfSection> sections,
                                                       Predicate wanted) {
  std::vector<ElfRelocation> all;
  for (const ElfSection& section : sections) {
    if (section.header.sh_type != SHT_RELA || !wanted(section.header)) {
      continue;
    }
    auto some = read_relocations(section);
    if (!some) {
      return some;
    }
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

} // namespace

Result<ElfFile> ElfFile::read(Bytes bytes) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!as_text(bytes).starts_with(ELFMAG)) {
    return fail("the magic number of an ELF file is missing");
  }
  if (!header) {
    return fail("the ELF header has {} bytes, expected {}; the file is truncated", bytes.size(),
                sizeof(Elf64_Ehdr));
  }
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return fail("the ELF file has class {} and data encoding {}, expected 64-bit (2) and "
                "little-endian (1)",
                header->e_ident[EI_CLASS], header->e_ident[EI_DATA]);
  }
  const auto table = GANTRY_TRY(locate_sections(bytes, *header));

  ElfFile file;
  file.type_ = header->e_type;
  file.machine_ = header->e_machine;
  file.sections_.resize(table.count);
  for (std::size_t index = 0; index < table.count; ++index) {
    ElfSection& section = file.sections_[index];
    section.header = load<Elf64_Shdr>(bytes, table.offset + index * sizeof(Elf64_Shdr)).value();
    if (section.header.sh_type == SHT_NULL || section.header.sh_type == SHT_NOBITS) {
      continue;
    }
    const auto contents = slice(bytes, section.header.sh_offset, section.header.sh_size);
    if (!contents) {
      return fail("section {}, {} bytes at offset {}, is not inside the file's {} bytes; the file "
                  "is truncated",
                  index, section.header.sh_size, section.header.sh_offset, bytes.size());
    }
    section.contents = *contents;
  }
  if (table.names != SHN_UNDEF) {
    const Bytes names = file.sections_[table.names].contents;
    for (std::size_t index = 1; index < file.sections_.size(); ++index) {
      ElfSection& section = file.sections_[index];
      const auto name = c_string(names, section.header.sh_name);
      if (!name) {
        return fail("the name of section {} at offset {} does not end inside the section names",
                    index, section.header.sh_name);
      }
      section.name = *name;
    }
  }
  return file;
}

const ElfSection* ElfFile::find_section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

Result<std::vector<ElfSymbol>> ElfFile::read_symbols(std::uint32_t table_type) const {
  const auto has_type = [](std::uint32_t type) {
    return [type](const ElfSection& section) { return section.header.sh_type == type; };
  };
  const auto table = std::ranges::find_if(sections_, has_type(table_type));
  if (table == sections_.end()) {
    return std::vector<ElfSymbol>{};
  }
  if (table->header.sh_entsize != sizeof(Elf64_Sym) ||
      table->contents.size() % sizeof(Elf64_Sym) != 0) {
    return fail("symbol table '{}' has {} bytes in entries of {}, expected entries of {}",
                table->name, table->contents.size(), table->header.sh_entsize, sizeof(Elf64_Sym));
  }
  if (table->header.sh_link >= sections_.size()) {
    return fail(
        "symbol table '{}' names section {} for its strings, but there are only {} sections",
        table->name, table->header.sh_link, sections_.size());
  }
  const Bytes strings = sections_[table->header.sh_link].contents;
  const auto table_number = static_cast<std::uint32_t>(table - sections_.begin());
  const auto extended = std::ranges::find_if(sections_, [&](const ElfSection& section) {
    return section.header.sh_type == SHT_SYMTAB_SHNDX && section.header.sh_link == table_number;
  });

  std::vector<ElfSymbol> symbols(table->contents.size() / sizeof(Elf64_Sym));
  for (std::size_t index = 0; index < symbols.size(); ++index) {
    const auto raw = load<Elf64_Sym>(table->contents, index * sizeof(Elf64_Sym)).value();
    ElfSymbol& symbol = symbols[index];
    symbol.binding = ELF64_ST_BIND(raw.st_info);
    symbol.type = ELF64_ST_TYPE(raw.st_info);
    symbol.visibility = ELF64_ST_VISIBILITY(raw.st_other);
    symbol.section = raw.st_shndx;
    symbol.reserved = raw.st_shndx >= SHN_LORESERVE;
    symbol.value = raw.st_value;
    symbol.size = raw.st_size;
    if (raw.st_shndx == SHN_XINDEX) {
      const auto real =
          extended == sections_.end()
              ? std::nullopt
              : load<std::uint32_t>(extended->contents, index * sizeof(std::uint32_t));
      if (!real) {
        return fail("symbol {} of '{}' has an extended section number, but the table of these does "
                    "not hold it",
                    index, table->name);
      }
      symbol.section = *real;
      symbol.reserved = false;
    }
    if (raw.st_name == 0) {
      continue; // a nameless symbol is legal even where the string table is empty
    }
    const auto name = c_string(strings, raw.st_name);
    if (!name) {
      return fail("the name of symbol {} of '{}' at offset {} does not end inside its string table",
                  index, table->name, raw.st_name);
    }
    symbol.name = *name;
  }
  return symbols;
}

Result<std::vector<ElfRelocation>> ElfFile::relocations_of(std::size_t target) const {
  return collect_relocations(sections_,
                             [&](const Elf64_Shdr& header) { return header.sh_info == target; });
}

Result<std::vector<ElfRelocation>> ElfFile::dynamic_relocations() const {
  return collect_relocations(
      sections_, [](const Elf64_Shdr& header) { return (header.sh_flags & SHF_ALLOC) != 0; });
}

Bytes ElfFile::contents_at(std::uint64_t address) const {
  for (const ElfSection& section : sections_) {
    if ((section.header.sh_flags & SHF_ALLOC) != 0 && address >= section.header.sh_addr &&
        address - section.header.sh_addr < section.contents.size()) {
      return section.contents.subspan(address - section.header.sh_addr);
    }
  }
  return {};
}

bool has_offload_sections(Bytes object) {
  const auto header = load<Elf64_Ehdr>(object, 0);
  if (!header || !as_text(object).starts_with(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return false;
  }
  const auto table = locate_sections(object, *header);
  if (!table) {
    return false;
  }
  const auto section = [&](std::uint64_t index) {
    return load<Elf64_Shdr>(object, table->offset + index * sizeof(Elf64_Shdr)).value();
  };
  Bytes names;
  if (table->names != SHN_UNDEF) {
    const Elf64_Shdr names_header = section(table->names);
    names = slice(object, names_header.sh_offset, names_header.sh_size).value_or(Bytes{});
  }
  for (std::uint64_t index = 1; index < table->count; ++index) {
    const Elf64_Shdr candidate = section(index);
    if (candidate.sh_type == kShtLlvmOffloading) {
      return true;
    }
    // Looks at flags first, because names are far from the headers, and most sections of a large
    // object are functions, which their flags identify.
    constexpr std::uint64_t kOfOthers = SHF_EXECINSTR | SHF_GROUP | SHF_MERGE | SHF_TLS;
    if (candidate.sh_type != SHT_PROGBITS || (candidate.sh_flags & kOfOthers) != 0) {
      continue;
    }
    const std::string_view name = c_string(names, candidate.sh_name).value_or("");
    if (name.starts_with(kImageSection) || name.starts_with(kCurrentEntrySection) ||
        name.starts_with(kLegacyEntrySection) || name == kOpenmpTargetSection) {
      return true;
    }
  }
  return false;
}

std::vector<OffloadSection> find_offload_sections(const ElfFile& file) {
  constexpr std::string_view kRelocatableName = ".llvm.offloading.relocatable";
  std::vector<OffloadSection> found;
  for (const ElfSection& section : file.sections()) {
    if (section.header.sh_type == kShtLlvmOffloading || section.name == kImageSection ||
        section.name == kRelocatableName) {
      found.push_back(
          {section.name, section.contents,
           section.name == kRelocatableName || (section.header.sh_flags & SHF_ALLOC) != 0});
    }
  }
  return found;
}

} // namespace gantry::format
