// Linking device code for AMD's GPUs.
#pragma once

#include "link/target.h"

namespace gantry::link {

/// Links a group to a code object for its processor. See link/target.h.
[[nodiscard]] Result<LinkedImage> link_for_amdgcn(const DeviceGroup& group,
                                                  const DeviceLinkContext& context);

} // namespace gantry::link
