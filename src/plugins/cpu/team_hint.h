// Teams that get fewer threads than their construct names. libomp gives a team of a league
// OMP_NUM_THREADS threads at most, or as many as there are processors, and libgomp does the same
// where a parallel construct has no num_threads clause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <gantry/plugin.h>

namespace gantry::cpu {

/// The most threads that a device with threads=limit gives a team, as a GPU does.
inline constexpr std::uint32_t kMostThreadsOfTeam = 1024;

/// What a program should know of a launch on `device` ("cpu") without threads=limit, whose default
/// is `threads` threads (0: as in the program): the construct names more than a team gets, and
/// `image` has code that asks which of them it is. Null if there is nothing to be said; good until
/// the thread's next call.
[[nodiscard]] const char* team_hint(std::span<const std::byte> image, const gantry_launch& launch,
                                    std::uint32_t threads, const char* device);

/// The same of a launch on a device with threads=limit, where OMP_THREAD_LIMIT alone makes teams
/// smaller than their constructs name them.
[[nodiscard]] const char* full_team_hint(std::span<const std::byte> image,
                                         const gantry_launch& launch);

} // namespace gantry::cpu
