// The device that an image runs on, as the plugin tells it.
#pragma once

#include "device/gpu/types.h"

namespace gantry::device {

/// The plugin finds it by name and size, and writes it before the first kernel.
extern "C" DeviceEnvironment __omp_rtl_device_environment;

} // namespace gantry::device
