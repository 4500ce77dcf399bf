// What ended a device, where the driver can tell: the PTX executor.
#pragma once

#include "plugins/cuda/device.h"

namespace gantry::cuda {

/// A kernel's fault has ended the device's work, and __tgt_rtl_device_fault() says which.
[[nodiscard]] bool is_lost(const Device& device);

} // namespace gantry::cuda
