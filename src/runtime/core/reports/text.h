// Addresses and extents as numbers and, like counts, as messages show them.
#pragma once

#include "runtime/core/reports/compiler_names.h"
#include "runtime/core/reports/diagnostics.h"

#include <cstdint>
#include <string>

namespace gantry::core {

inline std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// "'values'", or "storage" without a name.
inline std::string quoted_name(const char* name) {
  const std::string_view variable = variable_name(name);
  return variable.empty() ? "storage" : fmt::format("'{}'", variable);
}

inline std::string extent(std::uintptr_t begin, std::uint64_t size) {
  return fmt::format("[{:#x}, {} bytes)", begin, size);
}

/// "1 kernel", "2 kernels".
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// " at offset 16", or nothing.
inline std::string at_offset(std::uint64_t offset) {
  return offset == 0 ? "" : fmt::format(" at offset {}", offset);
}

/// "'Y' [0x7f0010, 16384 bytes)".
inline std::string named_extent(const char* name, std::uintptr_t begin, std::uint64_t size) {
  return fmt::format("{} {}", quoted_name(name), extent(begin, size));
}

/// For a Construct::location: " at app.cpp:12", or nothing if that is not known.
inline std::string at_position(const char* location) {
  const std::string where = position(location);
  return where.empty() ? where : " at " + where;
}

} // namespace gantry::core
