// --offload-arch with two names that are Gantry's: `host`, devices of the host's kind, for which
// Clang has only a triple; and `native`, the machine's GPUs, for which Clang runs a program that
// fails where there is none.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace gantry::cli {

/// Whether an argument is --offload-arch with a GPU in its list.
[[nodiscard]] bool names_gpu(std::string_view argument);

/// Whether it has a GPU of AMD's in its list.
[[nodiscard]] bool names_amd_gpu(std::string_view argument);

/// An error for an --offload-arch that Gantry has no device code for. Clang would ask for the
/// toolkits of those who have.
[[nodiscard]] Status check_architectures(std::string_view argument);

/// Whether it has the host in its list.
[[nodiscard]] bool names_host(std::string_view argument);

/// Whether it has one of those names in its list.
[[nodiscard]] bool needs_translation(std::string_view argument);

/// The arguments with what Clang calls the same. All --offload-arch of a command are one list.
[[nodiscard]] std::vector<std::string> translate_architectures(std::vector<std::string> arguments);

} // namespace gantry::cli
