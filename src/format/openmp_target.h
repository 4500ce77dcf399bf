// The tables of GCC's design of 2013: pairs in objects, and the descriptor that a link makes of
// them. docs/gomp4-table.md has both byte by byte.
//
// Results point into the file's bytes. Safe to call from any thread.
#pragma once

#include "format/elf.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gantry::format {

inline constexpr std::uint32_t kOpenmpTargetVersion = 1;

/// What the descriptor begins with; its targets follow, and the host's pairs.
struct OpenmpTargetHeader {
  std::uint32_t version;
  std::uint32_t target_count;
  std::uint64_t host_end; ///< one past the last pair
};
struct OpenmpTargetEntry {
  std::uint64_t blob;
  std::uint64_t blob_size;
  std::uint64_t addresses; ///< 8 bytes each
  std::uint64_t address_count;
};
struct OpenmpTargetPairBytes {
  std::uint64_t address;
  std::uint64_t size;
};

/// A function (size 0) or variable of the host's.
struct OpenmpTargetPair {
  std::uint64_t address = 0; ///< in linked files
  std::string_view symbol;   ///< what it is the address of, where the file says it
  std::uint64_t size = 0;
};

/// Device code for one kind of device. The n-th of `addresses` is the place of the host's n-th pair
/// in code that has addresses before it is loaded; in other code the n-th of `names` names it.
struct OpenmpTargetBlob {
  Bytes contents;
  std::vector<std::uint64_t> addresses;
  std::vector<std::string_view> names;
};

struct OpenmpTargetTable {
  std::uint32_t version = 0; ///< 0: no descriptor, as in objects
  std::vector<OpenmpTargetBlob> targets;
  std::vector<OpenmpTargetPair> host;
};

/// The table of a file; nothing if it has no such section.
[[nodiscard]] Result<std::optional<OpenmpTargetTable>> read_openmp_target(const ElfFile& file);

} // namespace gantry::format
