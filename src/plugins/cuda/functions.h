// Functions called by pointer: when the table that device code translates with comes to the device.
#pragma once

#include "plugins/cuda/device.h"

namespace gantry::cuda {

/// Places the table that waits; GANTRY_SUCCESS or an error, kept. Any thread.
std::int32_t place_waiting_functions(Device& device);

/// Frees the device's tables, in its context; no kernel reads them any more.
std::int32_t free_functions(Device& device);

/// The same, before every launch: code that translates with an older table would jump to addresses
/// of the host.
inline std::int32_t have_functions(Device& device) {
  return device.functions.waits() ? place_waiting_functions(device) : std::int32_t{GANTRY_SUCCESS};
}

} // namespace gantry::cuda
