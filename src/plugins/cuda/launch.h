// Launching kernels: how many blocks of how many threads, and with what.
#pragma once

#include "plugins/cuda/image.h"
#include "plugins/gpu/grid.h"

#include <cstdint>

namespace gantry::cuda {

/// The grid that suits what the construct asks for and leaves open.
[[nodiscard]] gpu::Grid choose_grid(gantry_kernel& kernel, const gantry_launch& launch);

/// What launches in one stream need of device memory, one after the other.
struct LaunchMemory {
  CUdeviceptr environment =
      0; ///< a gantry_launch_environment and the records of a reduction; 0: none yet
  std::size_t bytes = 0;
  CUdeviceptr stacks = 0; ///< of the warps of GCC's kernels, from the device's pool; 0: none yet
  std::size_t stack_bytes = 0;
  CUdeviceptr borrowed_stacks = 0; ///< of the launch that is under way; 0: it has none

  /// Gives back what the last launch has borrowed; it is done.
  std::int32_t give_back_stacks(Device& device);
  /// Frees it all; nothing uses it any more.
  std::int32_t release(Device& device);
};

/// Blocks of so many threads that a multiprocessor has at work at once.
[[nodiscard]] int resident_blocks(gantry_kernel& kernel, std::uint32_t threads,
                                  std::uint32_t dynamic_memory);

/// Puts a launch into a stream. Does not wait. `memory` is the stream's.
std::int32_t start(gantry_kernel& kernel, const gantry_launch& launch, CUstream stream,
                   LaunchMemory& memory);

} // namespace gantry::cuda
