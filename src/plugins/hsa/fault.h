// What ended a device: the runtime reports memory that kernels cannot access for the whole process.
#pragma once

#include "plugins/hsa/device.h"

namespace gantry::hsa {

/// From now on the device is lost when the runtime reports a fault of its agent.
void watch_faults(Device& device);
void watch_no_more(Device& device);

} // namespace gantry::hsa
