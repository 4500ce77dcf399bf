// Messages of the device runtime, through the device's printf.
#pragma once

#include "device/gpu/types.h"

namespace gantry::device {

extern "C" int vprintf(const char* format, void* arguments);

/// Prints one line and ends the kernel with an error.
[[noreturn]] void fail(const char* message);

} // namespace gantry::device
