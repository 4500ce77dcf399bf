// A registered program: an executable's or shared library's device images and offload entries, in
// the core's own terms. The front doors in abi/ know how the compilers lay them out.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::core {

enum class EntryKind : std::uint8_t {
  kKernel,          ///< a target region; `address` identifies it at a launch
  kVariable,        ///< a declare target variable with storage in the image
  kLink,            ///< the reference pointer of a declare target link variable
  kLinkPointer,     ///< a declare target link variable itself; the image has a pointer of that name
  kLinkStorage,     ///< the same; the image has storage of that name for it, for when it is mapped
  kUnifiedVariable, ///< a reference pointer under unified_shared_memory: the device's copy gets the
                    ///< host's value
  kIndirectFunction, ///< the image has a pointer of that name to the device's function
  kIndirectTable,    ///< the image has a pointer of that name to the device's virtual table
};

struct ProgramEntry {
  EntryKind kind = EntryKind::kKernel;
  void* address = nullptr;
  const char* name = "";
  std::uint64_t size = 0;
  /// The host's value of a kUnifiedVariable; of a kLink, once it is staged for a device under
  /// unified_shared_memory, where a copy of its host value is.
  const void* value = nullptr;
  /// The name stands for a place in the image and says nothing to people.
  bool nameless = false;

  /// For messages; empty if there is none.
  [[nodiscard]] const char* shown_name() const { return nameless ? "" : name; }
};

/// What a program brings, in its own memory: nothing is owned, and nothing may be read after it is
/// unregistered.
struct ProgramContents {
  std::vector<std::span<const std::byte>> images;
  std::vector<ProgramEntry> entries;
  /// A translation unit has `requires unified_shared_memory` (OpenMP 5.2, section 8.2).
  bool unified_shared_memory = false;
  /// Whether an image has variables that it may change and that no entry names, such as static ones
  /// of functions. Null: that cannot be told of any.
  bool (*has_own_variables)(std::span<const std::byte> image) = nullptr;
};

/// Reads a compiler's descriptor. Called with the program held, when devices are chosen and at
/// the first use of the program on each; by several threads at once.
using DecodeProgram = Result<ProgramContents> (*)(const void* descriptor);

} // namespace gantry::core
