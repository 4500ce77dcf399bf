// Executing a grid: its blocks on the threads of the machine.
#pragma once

#include "simt/exec/blocks/launch.h"

namespace gantry::simt::exec {

/// Runs every block of the launch; returns when all have ended or one has failed. The calling
/// thread takes part, and the pool's threads (settings().threads in all) when there are more blocks
/// than one.
void run_grid(Launch& launch);

/// Host threads that run blocks.
[[nodiscard]] unsigned thread_count();

} // namespace gantry::simt::exec
