// Processes that are gone: neither MPI says so. Each side says once a second that it is there, and
// takes the other one for lost when it has heard nothing for as long as the program's patience.
//
// A node that was stopped for that long, and goes on, ends: the program has given it up, and may
// use memory for something else that bytes of the node were to come to.
#pragma once

#include "base/result.h"

#include <algorithm>
#include <cstdint>

namespace gantry::mpi {

inline constexpr std::uint64_t kMillisecond = 1'000'000;
inline constexpr std::uint64_t kSecond = 1'000'000'000;

/// How often a side says that it is there.
inline constexpr std::uint64_t kSaying = kSecond;

/// This process's patience: GANTRY_MPI_PATIENCE in milliseconds, or 10 s; 0: without end.
[[nodiscard]] Result<std::uint64_t> read_patience();

/// A node waits longer for its program, which may be stopped by a debugger.
[[nodiscard]] inline std::uint64_t patience_of_node(std::uint64_t program) {
  return 3 * program;
}

/// How long a job may take to start: at least two seconds, at most a day; 0: without end.
[[nodiscard]] inline std::uint64_t patience_of_start(std::uint64_t patience) {
  return patience == 0 ? 0 : std::clamp(6 * patience, 2 * kSecond, 86'400 * kSecond);
}

/// How often a side with that patience says that it is there.
[[nodiscard]] inline std::uint64_t saying_of(std::uint64_t patience) {
  return patience == 0 || patience > 4 * kSaying ? kSaying : patience / 4;
}

} // namespace gantry::mpi
