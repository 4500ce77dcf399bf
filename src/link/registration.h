// Wrapping: the object that carries the linked images into the host program and registers them.
#pragma once

#include "base/result.h"
#include "format/offload_binary.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gantry::link {

/// A device image ready to run, and what its container says of it.
struct LinkedImage {
  format::ImageKind kind = format::ImageKind::kObject;
  std::string triple = {};
  std::string arch = {};
  std::vector<std::byte> contents = {};
};

/// Which tables of offload entries the host link holds; see registration.cpp.
struct EntryTables {
  bool current = false; ///< llvm_offload_entries, 56-byte entries, Clang 20 and newer
  bool legacy = false;  ///< omp_offloading_entries, 32-byte entries, Clang 19 and older
};

struct RegistrationObject {
  std::string object;      ///< a relocatable object for the host
  std::string module_text; ///< its LLVM IR, when asked for
};

/// Makes the registration object for `host_triple`. Every image goes into every table's descriptor:
/// the runtime joins them by name. LLVM's host target must be initialised.
[[nodiscard]] Result<RegistrationObject>
build_registration_object(const std::vector<LinkedImage>& images, EntryTables tables,
                          const std::string& host_triple, bool want_module_text);

} // namespace gantry::link
