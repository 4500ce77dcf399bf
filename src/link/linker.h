// The linker wrapper: from the command line that Clang passes to a linked program.
#pragma once

#include "base/result.h"
#include "link/arguments.h"

namespace gantry::link {

/// Links as `arguments` say and returns the host linker's exit code. Where no device code is, the
/// host linker replaces this process. Call handle_signals() before.
[[nodiscard]] Result<int> link(Arguments arguments);

} // namespace gantry::link
