// Threads that nothing but kernels runs on, so that the OpenMP runtime takes each for an initial
// thread.
#pragma once

#include <cstdint>
#include <functional>

namespace gantry::cpu {

/// Runs `work` on such a thread and waits for it: an idle one, or a new one if all are at work.
/// They stay, and with them the threads that libomp has made for their teams. What `work` returns,
/// with its message; GANTRY_FAILURE if the system has no thread to give. Any thread.
std::int32_t run_apart(const std::function<std::int32_t()>& work);

} // namespace gantry::cpu
