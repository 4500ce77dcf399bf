// How many blocks of how many threads a launch has.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <gantry/gpu_image.h>
#include <gantry/plugin.h>

namespace gantry::gpu {

/// The grid of a launch: sizes in x, y and z.
struct Grid {
  std::array<std::uint32_t, 3> blocks = {1, 1, 1};
  std::array<std::uint32_t, 3> threads = {1, 1, 1}; ///< of a block
};

/// What the device and the kernel allow.
struct GridLimits {
  std::uint32_t warp_size;
  std::uint32_t block_size;    ///< of the kernel, at most
  std::uint32_t usual_threads; ///< of a team, where the program does not say
  std::uint32_t blocks;        ///< of a grid, at most
  bool open_team = false;      ///< see gantry/gpu_image.h
};

/// Of kernels that are not bare.
inline std::uint32_t choose_block_size(const gantry_kernel_environment& environment,
                                       const gantry_launch& launch, const GridLimits& limits) {
  std::uint32_t most = limits.block_size;
  if (environment.max_threads > 0) {
    most = std::min(most, static_cast<std::uint32_t>(environment.max_threads));
  }
  if (limits.open_team) {
    most = std::min(most, limits.usual_threads);
  }
  // The main thread of a generic kernel has a warp of its own beside the workers.
  const std::uint32_t main_warp = environment.mode == GANTRY_KERNEL_GENERIC ? limits.warp_size : 0;
  const std::uint32_t threads = launch.thread_limit[0] != 0
                                    ? std::min(launch.thread_limit[0], most) + main_warp
                                    : std::max(limits.usual_threads, limits.warp_size + main_warp);
  return std::clamp<std::uint32_t>(threads, 1, most);
}

/// The grid that suits what the construct asks for and leaves open. `blocks_at_once(threads)` is
/// how many blocks of so many threads the device has at work at once.
template <typename BlocksAtOnce>
Grid choose_grid(const gantry_kernel_environment& environment, const gantry_launch& launch,
                 const GridLimits& limits, BlocksAtOnce&& blocks_at_once) {
  // Blocks for each that the device can have at work at once, where a loop would give more: their
  // ends even out, and each takes several chunks.
  constexpr std::uint64_t kWaves = 4;
  Grid grid;
  if (environment.mode == GANTRY_KERNEL_BARE) {
    for (std::size_t i = 0; i < grid.blocks.size(); ++i) {
      grid.blocks[i] = std::max(launch.num_teams[i], 1U);
      grid.threads[i] = std::max(launch.thread_limit[i], 1U);
    }
    return grid;
  }
  const std::uint32_t threads = grid.threads[0] = choose_block_size(environment, launch, limits);
  if (launch.kind == GANTRY_LAUNCH_TARGET) {
    return grid;
  }
  if (launch.num_teams[0] != 0) {
    grid.blocks[0] = std::min(launch.num_teams[0], limits.blocks);
    return grid;
  }
  const std::uint64_t enough = kWaves * static_cast<std::uint64_t>(blocks_at_once(threads));
  std::uint64_t wanted = enough;
  if (launch.trip_count != 0) {
    // In a generic kernel each iteration of distribute may be worth a team.
    const bool by_threads = environment.mode == GANTRY_KERNEL_SPMD;
    wanted = by_threads ? (launch.trip_count + threads - 1) / threads : launch.trip_count;
  }
  grid.blocks[0] = static_cast<std::uint32_t>(std::min(wanted, enough));
  return grid;
}

} // namespace gantry::gpu
