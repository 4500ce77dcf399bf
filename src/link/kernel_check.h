// Kernels of one name that mean different things.
#pragma once

#include "base/result.h"
#include "link/group.h"

namespace gantry::link {

/// Two objects with different kernels of one name are an error. Kernels are weak symbols, so that
/// those of inline functions may stand in many objects, and a linker silently keeps one; see the
/// source file for how accidents are told from inline functions.
[[nodiscard]] Status check_kernels(const DeviceGroup& group);

} // namespace gantry::link
