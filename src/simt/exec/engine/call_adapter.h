// The code of indirect calls whose words differ from those of the callee: converts them as the
// call's plan (code/call_plan.h) says.
#pragma once

#include "simt/exec/warp/warp.h"

namespace gantry::simt::exec {

/// A Code that calls what Warp::call_plan says, which Services::resolve_call has set.
void call_adapted(Warp* warp, LaneMask active, void* arguments, void* results);

} // namespace gantry::simt::exec
