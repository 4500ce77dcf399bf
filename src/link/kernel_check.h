// Finds kernels of one name with different code.
#pragma once

#include "base/result.h"
#include "link/group.h"

namespace gantry::link {

/// Two objects with different kernels of one name are an error. Kernels are weak symbols, because
/// inline functions put the same kernel into many objects, so a linker silently keeps one. The
/// source file says how inline functions are told from accidents.
[[nodiscard]] Status check_kernels(const DeviceGroup& group);

} // namespace gantry::link
