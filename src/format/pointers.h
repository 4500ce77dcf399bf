// Where the pointers stored in an ELF section point to.
#pragma once

#include "format/elf.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::format {

/// A pointer as the file gives it. Null if all is zero and empty.
struct ElfPointer {
  std::uint64_t address = 0; ///< in linked files, before the loader moves them
  std::string_view symbol;   ///< the symbol pointed to, if the file names one
  Bytes target;              ///< from the place pointed to to its section's end, if in this file
};

/// Answers for the pointers of one section of a file that outlives it. x86-64, aarch64 and
/// powerpc64le.
class PointerReader {
public:
  [[nodiscard]] static Result<PointerReader> read(const ElfFile& file, std::size_t section);

  /// The pointer stored at `offset` of the section.
  [[nodiscard]] Result<ElfPointer> at(std::uint64_t offset) const;

private:
  explicit PointerReader(const ElfFile& file, std::size_t section);

  [[nodiscard]] Result<ElfPointer> through_symbol(const ElfRelocation& relocation) const;
  [[nodiscard]] ElfPointer to_address(std::uint64_t address) const;

  const ElfFile* file_;
  const ElfSection* section_;
  std::vector<ElfSymbol> symbols_; ///< those that the relocations refer to
  std::unordered_map<std::uint64_t, ElfRelocation> relocations_; ///< by place
  std::unordered_map<std::uint64_t, std::string_view> names_;    ///< by address, in linked files
};

} // namespace gantry::format
