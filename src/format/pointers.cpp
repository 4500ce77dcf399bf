// Three forms of one pointer:
//
//   relocatable object          a relocation R_X86_64_64 gives symbol and addend; the bytes are 0
//   position-dependent program  the bytes are the address
//   shared object, PIE          R_X86_64_RELATIVE gives the address as its addend, R_X86_64_64 a
//                               symbol that another file may define; the bytes may be 0
//
// Other machines have the same two relocations by other numbers.
//
// Packed relative relocations (RELR) need no decoding: they only list places, and the bytes there
// are the address, as in a position-dependent program.

#include "format/pointers.h"

#include <algorithm>
#include <array>

namespace gantry::format {
namespace {

struct Machine {
  std::uint16_t number;
  std::uint32_t absolute; ///< the relocation for a symbol and an addend
  std::uint32_t relative; ///< and for the addend alone
};

constexpr auto kMachines = std::to_array<Machine>({
    {EM_X86_64, R_X86_64_64, R_X86_64_RELATIVE},
    {EM_AARCH64, R_AARCH64_ABS64, R_AARCH64_RELATIVE},
    {EM_PPC64, R_PPC64_ADDR64, R_PPC64_RELATIVE},
});

const Machine* find_machine(const ElfFile& file) {
  const auto* const found = std::ranges::find(kMachines, file.machine(), &Machine::number);
  return found == kMachines.end() ? nullptr : found;
}

} // namespace

PointerReader::PointerReader(const ElfFile& file, std::size_t section)
    : file_(&file), section_(&file.sections()[section]) {}

Result<PointerReader> PointerReader::read(const ElfFile& file, std::size_t section) {
  if (find_machine(file) == nullptr) {
    return fail(
        "the pointers of section '{}' are for machine {}, expected x86-64 ({}), aarch64 ({}) "
        "or powerpc64le ({})",
        file.sections()[section].name, file.machine(), EM_X86_64, EM_AARCH64, EM_PPC64);
  }
  PointerReader reader(file, section);
  const bool relocatable = file.is_relocatable();
  auto symbols = GANTRY_TRY(relocatable ? file.symbols() : file.dynamic_symbols());
  const auto relocations =
      GANTRY_TRY(relocatable ? file.relocations_of(section) : file.dynamic_relocations());
  const std::uint64_t first = relocatable ? 0 : reader.section_->header.sh_addr;
  for (const ElfRelocation& relocation : relocations) {
    if (relocation.offset - first < reader.section_->contents.size()) {
      reader.relocations_.emplace(relocation.offset - first, relocation);
    }
  }
  if (!relocatable) {
    auto all = GANTRY_TRY(file.symbols());
    for (const auto* table : {&all, &symbols}) {
      for (const ElfSymbol& symbol : *table) {
        if (!symbol.is_undefined() && !symbol.name.empty() &&
            (symbol.type == STT_FUNC || symbol.type == STT_OBJECT)) {
          reader.names_.emplace(symbol.value, symbol.name);
        }
      }
    }
  }
  reader.symbols_ = std::move(symbols);
  return reader;
}

Result<ElfPointer> PointerReader::at(std::uint64_t offset) const {
  const auto stored = load<std::uint64_t>(section_->contents, offset);
  if (!stored) {
    return fail("there is no pointer at offset {} of section '{}', which has {} bytes", offset,
                section_->name, section_->contents.size());
  }
  const auto found = relocations_.find(offset);
  if (found == relocations_.end()) {
    return to_address(*stored);
  }
  const ElfRelocation& relocation = found->second;
  const Machine& machine = *find_machine(*file_);
  if (relocation.type == machine.absolute) {
    return through_symbol(relocation);
  }
  if (relocation.type == machine.relative) {
    return to_address(static_cast<std::uint64_t>(relocation.addend));
  }
  return fail("the pointer at offset {} of section '{}' has relocation type {}, expected {} (a "
              "symbol's address) or {} (an address)",
              offset, section_->name, relocation.type, machine.absolute, machine.relative);
}

Result<ElfPointer> PointerReader::through_symbol(const ElfRelocation& relocation) const {
  if (relocation.symbol >= symbols_.size()) {
    return fail("a relocation of section '{}' refers to symbol {}, but there are only {} symbols",
                section_->name, relocation.symbol, symbols_.size());
  }
  const ElfSymbol& symbol = symbols_[relocation.symbol];
  const std::uint64_t place = symbol.value + static_cast<std::uint64_t>(relocation.addend);
  ElfPointer pointer;
  if (symbol.is_undefined() || symbol.reserved) {
    pointer.symbol = symbol.name;
    return pointer;
  }
  if (!file_->is_relocatable()) {
    pointer = to_address(place);
    pointer.symbol = symbol.name;
    return pointer;
  }
  if (symbol.section >= file_->sections().size()) {
    return fail("symbol '{}' is in section {}, but there are only {} sections", symbol.name,
                symbol.section, file_->sections().size());
  }
  pointer.symbol = symbol.name; // empty for the symbol of a section
  const Bytes section = file_->sections()[symbol.section].contents;
  if (place <= section.size()) {
    pointer.target = section.subspan(place);
  }
  return pointer;
}

ElfPointer PointerReader::to_address(std::uint64_t address) const {
  ElfPointer pointer;
  pointer.address = address;
  if (address != 0 && !file_->is_relocatable()) {
    pointer.target = file_->contents_at(address);
    if (const auto name = names_.find(address); name != names_.end()) {
      pointer.symbol = name->second;
    }
  }
  return pointer;
}

} // namespace gantry::format
