#include "link/host_symbols.h"

#include "format/elf.h"
#include "link/bitcode.h"

#include <algorithm>

#include <llvm/LTO/LTO.h>

namespace gantry::link {
namespace {

HostSymbols collect(const std::vector<format::ElfSymbol>& symbols) {
  HostSymbols result;
  for (const format::ElfSymbol& symbol : symbols) {
    if (symbol.is_local() || symbol.name.empty()) {
      continue;
    }
    if (symbol.is_common()) {
      result.common.emplace_back(symbol.name);
    } else if (!symbol.is_undefined()) {
      result.defined.emplace_back(symbol.name);
    } else if (!symbol.is_weak()) {
      result.undefined.emplace_back(symbol.name);
    }
  }
  return result;
}

} // namespace

Result<HostSymbols> object_symbols(Bytes contents) {
  return format::ElfFile::read(contents)
      .and_then([](const format::ElfFile& file) { return file.symbols(); })
      .map(collect);
}

Result<HostSymbols> shared_library_symbols(Bytes contents) {
  const format::ElfFile file = GANTRY_TRY(format::ElfFile::read(contents));
  auto symbols = GANTRY_TRY(file.dynamic_symbols());
  const auto versions = std::ranges::find_if(file.sections(), [](const auto& section) {
    return section.header.sh_type == SHT_GNU_versym;
  });
  if (versions != file.sections().end()) {
    constexpr std::uint16_t kHidden = 0x8000;
    for (std::size_t index = 0; index < symbols.size(); ++index) {
      const auto version =
          load<std::uint16_t>(versions->contents, index * sizeof(std::uint16_t)).value_or(0);
      format::ElfSymbol& symbol = symbols[index];
      if (!symbol.is_undefined() && (version & kHidden) != 0) {
        symbol.binding = STB_LOCAL; // so that it is passed over
      }
    }
  }
  return collect(symbols);
}

Result<HostSymbols> bitcode_symbols(Bytes contents) {
  const auto file = GANTRY_TRY(open_bitcode(contents, ""));
  HostSymbols result;
  for (const llvm::lto::InputFile::Symbol& symbol : file->symbols()) {
    if (symbol.isCommon()) {
      result.common.push_back(symbol.getName().str());
    } else if (!symbol.isUndefined()) {
      result.defined.push_back(symbol.getName().str());
    } else if (!symbol.isWeak()) {
      result.undefined.push_back(symbol.getName().str());
    }
  }
  return result;
}

} // namespace gantry::link
