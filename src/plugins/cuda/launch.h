// Launching kernels: how many blocks of how many threads, and with what.
#pragma once

#include "plugins/cuda/image.h"

namespace gantry::cuda {

/// The grid of a launch.
struct Grid {
  std::uint32_t blocks = 1;
  std::uint32_t threads = 1; ///< of a block
};

/// The grid that suits what the construct asks for and leaves open.
[[nodiscard]] Grid choose_grid(gantry_kernel& kernel, const gantry_launch& launch);

/// What launches in one stream need of device memory, one after the other.
struct LaunchMemory {
  CUdeviceptr environment =
      0; ///< a gantry_launch_environment and the records of a reduction; 0: none yet
  std::size_t bytes = 0;
};

/// Puts a launch into a stream. Does not wait. `memory` is the stream's.
std::int32_t start(gantry_kernel& kernel, const gantry_launch& launch, CUstream stream,
                   LaunchMemory& memory);

} // namespace gantry::cuda
