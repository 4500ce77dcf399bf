// The functions that compiled code calls (Services of warp.h), and what they need of a warp's
// strands.
#pragma once

#include "simt/exec/warp/warp.h"

namespace gantry::simt::exec {

/// The one table; what it does is in warp.h.
[[nodiscard]] const Services& services();

} // namespace gantry::simt::exec
