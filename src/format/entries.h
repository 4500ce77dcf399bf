// The offload entries of ELF files: decoded from relocatable objects, where the pointers of an
// entry are relocations, and from linked files, where they are addresses or dynamic relocations.
//
// Results point into the file's bytes. Safe to call from any thread.
#pragma once

#include "format/elf.h"
#include "format/entry_layout.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gantry::format {

enum class EntryLayout : std::uint8_t { kLegacy, kCurrent };

constexpr std::size_t entry_size(EntryLayout layout) {
  return layout == EntryLayout::kLegacy ? sizeof(LegacyEntry) : sizeof(CurrentEntry);
}

struct OffloadEntry {
  EntryRole role = EntryRole::kUnknown;
  std::uint16_t kind = 0;
  std::uint32_t flags = 0;
  std::string_view name;
  std::string_view symbol;   ///< what the address is the address of, where the file says it
  std::uint64_t address = 0; ///< in linked files; 0 in objects and for symbols of another file
  std::uint64_t size = 0;
  std::uint64_t data = 0;
};

struct EntryTable {
  std::string_view section;
  EntryLayout layout = EntryLayout::kCurrent;
  std::vector<OffloadEntry> entries;
};

/// The tables of a file, one for each section of entries: `omp_offloading_entries` and
/// `llvm_offload_entries`, and those with a hash appended that relocatable links make.
[[nodiscard]] Result<std::vector<EntryTable>> read_entry_tables(const ElfFile& file);

/// True if loading the file registers device images: it holds the wrapper's registration function
/// or calls the runtime's.
[[nodiscard]] Result<bool> registers_itself(const ElfFile& file);

/// True if the file has device code by GCC's design: sections for GCC's compilers of devices, or a
/// call of the function of libgomp's that registers images.
[[nodiscard]] Result<bool> has_device_code_of_gcc(const ElfFile& file);

/// "kernel", "variable", "link variable", …
[[nodiscard]] std::string_view to_string(EntryRole role);

} // namespace gantry::format
