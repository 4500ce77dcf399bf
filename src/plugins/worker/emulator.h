// How workers of a foreign instruction set run here: by QEMU's user mode, with the libraries of
// Debian's cross packages.
#pragma once

#include "base/foreign_cpu.h"

#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::worker {

/// The emulator's command as far as the worker's own words, of which the first is its executable.
/// The error is a sentence that says what is to be installed. `folder` is Gantry's own, which holds
/// lib/ and libexec/.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string>
emulator_command(const ForeignCpu& cpu, const std::string& folder);

} // namespace gantry::worker
