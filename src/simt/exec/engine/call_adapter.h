// The code of calls by pointer whose words are not what the callee expects: it lays them out anew,
// as the call's plan (code/call_plan.h) says.
#pragma once

#include "simt/exec/warp/warp.h"

namespace gantry::simt::exec {

/// A Code that calls what Warp::call_plan says, which Services::resolve_call has set.
void call_adapted(Warp* warp, LaneMask active, void* arguments, void* results);

} // namespace gantry::simt::exec
