// Linking device code for NVIDIA's GPUs.
#pragma once

#include "link/target.h"

namespace gantry::link {

/// Links a group to PTX for its architecture. See link/target.h.
[[nodiscard]] Result<LinkedImage> link_for_nvptx(const DeviceGroup& group,
                                                 const DeviceLinkContext& context);

} // namespace gantry::link
