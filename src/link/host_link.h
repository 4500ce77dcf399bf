// The last stage: the linker that Clang meant to run, with the registration object added.
#pragma once

#include "base/result.h"
#include "link/arguments.h"

#include <string>
#include <vector>

namespace gantry::link {

/// Says early what would make the host link of device code fail late: no host linker, an output
/// that cannot be written, a static link.
[[nodiscard]] Status check_host_link(const Arguments& arguments);

/// Objects that the link adds to the program.
struct AddedObjects {
  std::vector<std::string> first; ///< before all others
  std::vector<std::string> last;
};

/// Runs the host linker with its own arguments and `added`; returns its exit code, after its own
/// diagnostics. With --dry-run only shows the command.
[[nodiscard]] Result<int> run_host_linker(const Arguments& arguments, const AddedObjects& added);

/// Becomes the host linker, with its own arguments. Returns only on failure or with --dry-run.
[[nodiscard]] Result<int> replace_with_host_linker(const Arguments& arguments);

} // namespace gantry::link
