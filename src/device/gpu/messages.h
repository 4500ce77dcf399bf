// Messages of the device runtime.
#pragma once

#include "device/gpu/types.h"

namespace gantry::device {

/// Prints one line and ends the kernel with an error.
[[noreturn]] void fail(const char* message);
/// Threads of one warp wait for each other, at `what`, where its lanes go on together.
[[noreturn]] void fail_in_lockstep(const char* what);

} // namespace gantry::device
