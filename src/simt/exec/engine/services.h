// The functions that compiled code calls: Services of warp/warp.h.
#pragma once

#include "simt/exec/warp/warp.h"

namespace gantry::simt::exec {

/// The process's table.
[[nodiscard]] const Services& services();

} // namespace gantry::simt::exec
