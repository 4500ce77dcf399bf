// GCC's design of 2013: objects with pairs {address, size} of their functions and variables for
// devices, from which the link makes the descriptor __OPENMP_TARGET__ (docs/gomp4-table.md).
#pragma once

#include "base/result.h"
#include "link/arguments.h"
#include "link/device_code.h"
#include "link/scan.h"

#include <filesystem>
#include <string>

namespace gantry::link {

/// The two objects of the descriptor; the host's pairs come between them.
struct OpenmpTargetObjects {
  std::string begin;
  std::string end;
};

/// Links the code of `code.paired`, of which there is some, for each kind of device and makes the
/// descriptor. `folder` is for temporary files. With --dry-run the images are empty. LLVM's host
/// target must be initialised.
[[nodiscard]] Result<OpenmpTargetObjects> build_openmp_target(const DeviceCode& code,
                                                              const Arguments& arguments,
                                                              const Scan& scan,
                                                              const std::filesystem::path& folder);

/// Checks what the host linker made of it: that all pairs are there, behind the descriptor.
[[nodiscard]] Status check_openmp_target(const DeviceCode& code, const Arguments& arguments);

} // namespace gantry::link
