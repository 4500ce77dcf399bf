#include "simt/amdgcn/objects/dynamic_section.h"

#include <array>
#include <utility>

namespace gantry::simt::amdgcn {

namespace {

/// The values of the section's tags that are looked at; 0 where there is none.
struct Tags {
  std::uint64_t hash = 0;
  std::uint64_t symbols = 0;
  std::uint64_t symbol_size = sizeof(Elf64_Sym);
  std::uint64_t names = 0;
  std::uint64_t names_size = 0;
  std::uint64_t relocations = 0;
  std::uint64_t relocations_size = 0;
  std::uint64_t relocation_size = sizeof(Elf64_Rela);
  std::uint64_t of_calls = 0; ///< more relocations
  std::uint64_t of_calls_size = 0;
};

Result<Tags> read_tags(Bytes section) {
  Tags tags;
  for (std::uint64_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
    const auto entry = load<Elf64_Dyn>(section, offset);
    if (!entry) {
      return fail("the dynamic section does not end");
    }
    const std::uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_NULL:
      return tags;
    case DT_HASH:
      tags.hash = value;
      break;
    case DT_SYMTAB:
      tags.symbols = value;
      break;
    case DT_SYMENT:
      tags.symbol_size = value;
      break;
    case DT_STRTAB:
      tags.names = value;
      break;
    case DT_STRSZ:
      tags.names_size = value;
      break;
    case DT_RELA:
      tags.relocations = value;
      break;
    case DT_RELASZ:
      tags.relocations_size = value;
      break;
    case DT_RELAENT:
      tags.relocation_size = value;
      break;
    case DT_JMPREL:
      tags.of_calls = value;
      break;
    case DT_PLTRELSZ:
      tags.of_calls_size = value;
      break;
    case DT_REL:
    case DT_RELR:
      return fail("the code object has relocations of a form (dynamic tag {}) that is not known",
                  entry->d_tag);
    case DT_NEEDED:
      return fail("the code object needs another one, which is not supported");
    default:
      break;
    }
  }
}

/// The file's bytes that are loaded at an address.
std::optional<Bytes> loaded_from(const CodeObject& object, std::uint64_t address,
                                 std::uint64_t size) {
  const Segment* const segment = object.segment_of(address, size);
  return segment == nullptr ? std::nullopt
                            : slice(segment->contents, address - segment->address, size);
}

SymbolKind kind_of(const Elf64_Sym& symbol, std::string_view name) {
  if (symbol.st_shndx == SHN_UNDEF) {
    return SymbolKind::kOther;
  }
  switch (ELF64_ST_TYPE(symbol.st_info)) {
  case STT_FUNC:
    return SymbolKind::kFunction;
  case STT_OBJECT:
    return name.ends_with(kDescriptorSuffix) && symbol.st_size == sizeof(KernelDescriptor)
               ? SymbolKind::kKernel
               : SymbolKind::kVariable;
  default:
    return SymbolKind::kOther;
  }
}

Result<Symbol> read_symbol(const CodeObject& object, const Elf64_Sym& entry, Bytes names) {
  const auto name = c_string(names, entry.st_name);
  if (!name) {
    return fail("a symbol's name at {} does not lie in the {} bytes of names", entry.st_name,
                names.size());
  }
  Symbol symbol;
  symbol.name = *name;
  symbol.address = entry.st_value;
  symbol.size = entry.st_size;
  symbol.is_defined = entry.st_shndx != SHN_UNDEF;
  symbol.is_absolute = entry.st_shndx == SHN_ABS;
  symbol.is_weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK;
  symbol.is_global = ELF64_ST_BIND(entry.st_info) != STB_LOCAL;
  symbol.kind = symbol.is_absolute ? SymbolKind::kOther : kind_of(entry, *name);
  const std::uint64_t end = object.first + object.size;
  if (symbol.is_defined && !symbol.is_absolute &&
      (symbol.address < object.first || symbol.address > end ||
       symbol.size > end - symbol.address)) {
    return fail("the symbol {} at {:#x} of {} bytes does not lie in the code object", symbol.name,
                symbol.address, symbol.size);
  }
  if (symbol.kind == SymbolKind::kFunction &&
      object.segment_of(symbol.address, symbol.size) == nullptr) {
    return fail("the function {} at {:#x} of {} bytes does not lie in a segment", symbol.name,
                symbol.address, symbol.size);
  }
  return symbol;
}

Status read_symbols(CodeObject& object, const Tags& tags) {
  // The hash table's second number is how many symbols there are; nothing else in what is loaded
  // is.
  const auto hash = loaded_from(object, tags.hash, 2 * sizeof(std::uint32_t));
  if (tags.hash == 0 || !hash) {
    return fail("the code object has no hash table of its symbols (DT_HASH)");
  }
  const std::uint64_t count = *load<std::uint32_t>(*hash, sizeof(std::uint32_t));
  if (tags.symbol_size != sizeof(Elf64_Sym)) {
    return fail("the code object's symbols have {} bytes each, not {}", tags.symbol_size,
                sizeof(Elf64_Sym));
  }
  const auto table = loaded_from(object, tags.symbols, count * sizeof(Elf64_Sym));
  const auto names = loaded_from(object, tags.names, tags.names_size);
  if (!table || !names) {
    return fail("the code object's table of {} symbols, or of {} bytes of names, does not lie in "
                "the file",
                count, tags.names_size);
  }
  object.symbols.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = load<Elf64_Sym>(*table, i * sizeof(Elf64_Sym));
    object.symbols.push_back(i == 0 ? Symbol{} : GANTRY_TRY(read_symbol(object, *entry, *names)));
  }
  return {};
}

Status read_relocations(CodeObject& object, std::uint64_t address, std::uint64_t size,
                        std::uint64_t entry_size) {
  if (size == 0) {
    return {};
  }
  const auto table = loaded_from(object, address, size);
  if (!table || entry_size != sizeof(Elf64_Rela) || size % sizeof(Elf64_Rela) != 0) {
    return fail("the code object's {} bytes of relocations of {} each do not lie in the file, or "
                "are none of {} bytes",
                size, entry_size, sizeof(Elf64_Rela));
  }
  for (std::uint64_t offset = 0; offset < size; offset += sizeof(Elf64_Rela)) {
    const auto entry = load<Elf64_Rela>(*table, offset);
    const Relocation relocation = {entry->r_offset, entry->r_addend,
                                   static_cast<std::uint32_t>(ELF64_R_TYPE(entry->r_info)),
                                   static_cast<std::uint32_t>(ELF64_R_SYM(entry->r_info))};
    if (relocation.symbol != 0 && relocation.symbol >= object.symbols.size()) {
      return fail("the relocation of {:#x} names symbol {} of {}", relocation.address,
                  relocation.symbol, object.symbols.size());
    }
    object.relocations.push_back(relocation);
  }
  return {};
}

} // namespace

Status read_dynamic_section(CodeObject& object, Bytes bytes, const Elf64_Phdr& header) {
  const auto section = slice(bytes, header.p_offset, header.p_filesz);
  if (!section) {
    return fail("the code object's dynamic section does not lie in the file");
  }
  const Tags tags = GANTRY_TRY(read_tags(*section));
  GANTRY_TRY(read_symbols(object, tags));
  GANTRY_TRY(
      read_relocations(object, tags.relocations, tags.relocations_size, tags.relocation_size));
  return read_relocations(object, tags.of_calls, tags.of_calls_size, tags.relocation_size);
}

} // namespace gantry::simt::amdgcn
