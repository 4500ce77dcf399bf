#include "link/library_images.h"

#include "format/elf.h"
#include "format/offload_binary.h"

#include <string_view>
#include <unordered_set>

namespace gantry::link {
namespace {

/// Visible to other objects of the image's link. Clang gives device functions hidden visibility, of
/// which a linker makes local symbols that are still marked as hidden.
bool is_shared_by_objects(const format::ElfSymbol& symbol) {
  return !symbol.is_undefined() && !symbol.name.empty() &&
         (!symbol.is_local() || symbol.visibility == STV_HIDDEN);
}

std::unordered_set<std::string_view> host_definitions(const format::ElfFile& library) {
  std::unordered_set<std::string_view> names;
  if (const auto symbols = library.dynamic_symbols()) {
    for (const format::ElfSymbol& symbol : *symbols) {
      if (!symbol.is_undefined()) {
        names.insert(symbol.name);
      }
    }
  }
  return names;
}

void add_definitions(const HostLibrary& library, const Target& target,
                     std::map<std::string, LibraryDefinition>& definitions) {
  const Result<format::ElfFile> file = format::ElfFile::read(library.contents);
  if (!file) {
    return;
  }
  for (const format::OffloadSection& section : format::find_offload_sections(*file)) {
    const auto images = format::read_offload_binaries(section.contents);
    if (!images) {
      continue;
    }
    const std::unordered_set<std::string_view> on_host = host_definitions(*file);
    for (const format::OffloadImage& image : *images) {
      if (find_target(image.triple()) != &target) {
        continue;
      }
      const auto symbols = format::ElfFile::read(image.contents).and_then([](const auto& elf) {
        return elf.symbols();
      });
      if (!symbols) {
        continue;
      }
      for (const format::ElfSymbol& symbol : *symbols) {
        if (is_shared_by_objects(symbol)) {
          definitions.try_emplace(
              std::string(symbol.name),
              LibraryDefinition{.library = library.path, .on_host = on_host.contains(symbol.name)});
        }
      }
    }
  }
}

} // namespace

std::map<std::string, LibraryDefinition>
device_definitions(const std::vector<HostLibrary>& libraries, const Target& target) {
  std::map<std::string, LibraryDefinition> definitions;
  for (const HostLibrary& library : libraries) {
    if (library.is_shared) {
      add_definitions(library, target, definitions);
    }
  }
  return definitions;
}

} // namespace gantry::link
