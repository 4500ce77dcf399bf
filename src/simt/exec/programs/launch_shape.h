// What a launch asks for: the grid, its blocks, their shared memory.
#pragma once

#include "simt/exec/code/code.h"

#include <cstdint>

namespace gantry::simt::exec {

struct LaunchShape {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared = 0;     ///< bytes
  bool cooperative = false;             ///< all blocks are resident together (grid-wide barriers)
  bool in_clusters = false;             ///< the launch, or the kernel, says how large they are
  std::uint32_t cluster[3] = {1, 1, 1}; ///< divides the grid

  [[nodiscard]] std::uint32_t blocks_of_cluster() const {
    return cluster[0] * cluster[1] * cluster[2];
  }
};

/// How the threads of a launch lie in its warps.
[[nodiscard]] Geometry geometry_of(const LaunchShape& shape);

} // namespace gantry::simt::exec
