// The thread_limit clause of a construct, as the region's thread finds it in libomp's ICVs
// (OpenMP 5.2, section 10.2.1, thread-limit-var). On the host the thread that meets the construct
// sets it; in a worker another one runs the region.
#pragma once

#include <cstdint>

namespace gantry::worker {

/// Of the calling thread, for the kernel it is about to run. 0: none of the construct's own.
void set_thread_limit(std::uint32_t limit);

} // namespace gantry::worker
