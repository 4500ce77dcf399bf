// Makes optimised code while kernels run.
#pragma once

#include "simt/exec/code/code.h"

#include <memory>

namespace gantry::simt::exec {

/// Has the optimised code of a function made on the side thread, once. Any thread.
void improve(std::shared_ptr<ProgramCode> program, std::uint32_t function, Geometry geometry);

} // namespace gantry::simt::exec
