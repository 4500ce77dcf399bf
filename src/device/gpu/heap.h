// Memory of the device's heap.
#pragma once

#include "device/gpu/types.h"

namespace gantry::device {

extern "C" {
void* malloc(size_t size);
void free(void* place);
}

/// Ends the kernel where the heap has no more.
[[nodiscard]] void* allocate(size_t size);

} // namespace gantry::device
