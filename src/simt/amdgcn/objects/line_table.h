// Line tables: which line of the source an instruction is of (DWARF 5, section 6.2, "Line Number
// Information"; and the versions 3 and 4 of it).
#pragma once

#include "base/result.h"
#include "simt/amdgcn/objects/debug_sections.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gantry::simt::amdgcn {

struct SourceLine {
  std::string file; ///< as the compiler was told its name
  std::uint64_t line = 0;
  /// The instruction is of no line, and this is the line of one before it.
  bool is_near = false;
};

/// The line of the instruction at an address of the file, in a function that begins at `function`.
/// Nothing if no table has one. An error if it is not found and a table is damaged.
[[nodiscard]] Result<std::optional<SourceLine>>
find_line(const DebugSections& sections, std::uint64_t address, std::uint64_t function);

} // namespace gantry::simt::amdgcn
