#include "link/weak_references.h"

#include "base/mapped_file.h"
#include "format/elf.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <vector>

namespace gantry::link {

namespace {

/// Where in the file the type and binding of the symbols to be changed are.
Result<std::vector<std::uint64_t>> places_of_bindings(const format::ElfFile& file) {
  const auto table = std::ranges::find(file.sections(), SHT_DYNSYM, [](const auto& section) {
    return static_cast<int>(section.header.sh_type);
  });
  const auto symbols = GANTRY_TRY(file.dynamic_symbols());
  const auto relocations = GANTRY_TRY(file.dynamic_relocations());
  std::vector<std::uint64_t> places;
  for (const format::ElfRelocation& relocation : relocations) {
    if (relocation.type == R_X86_64_JUMP_SLOT || relocation.symbol >= symbols.size()) {
      continue;
    }
    const format::ElfSymbol& symbol = symbols[relocation.symbol];
    if (symbol.is_undefined() && symbol.binding == STB_GLOBAL) {
      places.push_back(table->header.sh_offset + relocation.symbol * sizeof(Elf64_Sym) +
                       offsetof(Elf64_Sym, st_info));
    }
  }
  return places;
}

} // namespace

Status weaken_references(const std::filesystem::path& path) {
  const auto mapped = GANTRY_TRY(MappedFile::open(path));
  const auto places = GANTRY_TRY_CONTEXT(
      format::ElfFile::read(mapped.bytes()).and_then(places_of_bindings), path.string());
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  for (const std::uint64_t place : places) {
    const auto before = static_cast<unsigned char>(mapped.bytes()[place]);
    stream.seekp(static_cast<std::streamoff>(place));
    stream.put(static_cast<char>(ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(before))));
  }
  stream.close();
  return stream ? Status() : fail("cannot write '{}'", path.string());
}

} // namespace gantry::link
