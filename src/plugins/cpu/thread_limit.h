// The thread_limit clause of a construct, as the region's thread finds it in libomp's ICVs
// (OpenMP 5.2, section 10.2.1, thread-limit-var). In the program the thread that meets the
// construct sets it; in another process, a worker or a node, this does.
#pragma once

#include <cstdint>

#include <gantry/plugin.h>

namespace gantry::cpu {

/// Of the calling thread, for the kernel it is about to run. 0: none of the construct's own.
void set_thread_limit(const gantry_kernel& kernel, std::uint32_t limit);

} // namespace gantry::cpu
