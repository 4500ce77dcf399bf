// The clock that programs, their workers and the times of queues share.
#pragma once

#include <cstdint>
#include <ctime>

namespace gantry {

/// Nanoseconds of CLOCK_MONOTONIC.
inline std::uint64_t monotonic_now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

} // namespace gantry
