// The sections of a code object that are not loaded, and that reports read: line tables with the
// names that they use, and the symbols of local functions.
#pragma once

#include "base/bytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gantry::simt::amdgcn {

/// Copies, because a program may free its code object once that is loaded. Empty where the file has
/// no such section, or a compressed one.
struct DebugSections {
  std::vector<std::byte> lines;        ///< .debug_line
  std::vector<std::byte> line_strings; ///< .debug_line_str
  std::vector<std::byte> strings;      ///< .debug_str
  std::vector<std::byte> symbols;      ///< .symtab
  std::vector<std::byte> symbol_names; ///< .strtab
};

/// Those of an ELF file. Believes nothing of it: a section that does not lie in the file is empty.
[[nodiscard]] DebugSections copy_debug_sections(Bytes file);

struct LocalFunction {
  std::string_view name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

/// The function of .symtab that an address of the file is in, which may be a local one.
[[nodiscard]] std::optional<LocalFunction> find_function(const DebugSections& sections,
                                                         std::uint64_t address);

} // namespace gantry::simt::amdgcn
