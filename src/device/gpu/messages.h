// Messages of the device runtime.
#pragma once

#include "device/gpu/types.h"

namespace gantry::device {

/// Prints one line and ends the kernel with an error.
[[noreturn]] void fail(const char* message);

} // namespace gantry::device
