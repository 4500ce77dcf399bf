// Linking device code for a CPU: the image is a shared object of its own.
#pragma once

#include "link/target.h"

namespace gantry::link {

/// Links `group` with lld (or the host linker where lld is missing). Symbols that stay undefined
/// are an error that names them and the objects that use them.
[[nodiscard]] Result<LinkedImage> link_for_cpu(const DeviceGroup& group,
                                               const DeviceLinkContext& context);

} // namespace gantry::link
