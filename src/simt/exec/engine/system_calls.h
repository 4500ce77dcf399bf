// The functions that the driver provides to device code: vprintf, malloc, free, __assertfail.
#pragma once

#include "simt/exec/warp/warp.h"
#include "simt/ptx/program.h"

#include <cstdint>
#include <string>

namespace gantry::simt::exec {

/// Executes the call for the lanes of `active`, in the order of lanes. `arguments` and `results`
/// have 32 words of 64 bits for each parameter in turn (vprintf: format, arguments; malloc: size;
/// free: pointer; __assertfail: message, file, line, function, size of a character). Faults as an
/// access by `site` would if a string or an argument is not in device memory.
void system_call(Warp& warp, LaneMask active, ptx::SystemCall call, const std::uint64_t* arguments,
                 std::uint64_t* results, Site site);

} // namespace gantry::simt::exec
