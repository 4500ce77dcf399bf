#include "link/host_symbols.h"

#include "format/elf.h"
#include "link/bitcode.h"

#include <llvm/LTO/LTO.h>

namespace gantry::link {
namespace {

HostSymbols collect(const std::vector<format::ElfSymbol>& symbols) {
  HostSymbols result;
  for (const format::ElfSymbol& symbol : symbols) {
    if (symbol.is_local() || symbol.name.empty()) {
      continue;
    }
    if (!symbol.is_undefined()) {
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
  return format::ElfFile::read(contents)
      .and_then([](const format::ElfFile& file) { return file.dynamic_symbols(); })
      .map(collect);
}

Result<HostSymbols> bitcode_symbols(Bytes contents) {
  const auto file = open_bitcode(contents, "");
  if (!file) {
    return tl::unexpected(file.error());
  }
  HostSymbols result;
  for (const llvm::lto::InputFile::Symbol& symbol : (*file)->symbols()) {
    if (!symbol.isUndefined()) {
      result.defined.push_back(symbol.getName().str());
    } else if (!symbol.isWeak()) {
      result.undefined.push_back(symbol.getName().str());
    }
  }
  return result;
}

} // namespace gantry::link
