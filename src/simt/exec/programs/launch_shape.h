// What a launch asks for: the grid, its blocks, their shared memory.
#pragma once

#include "simt/exec/code/code.h"

#include <cstdint>

namespace gantry::simt::exec {

struct LaunchShape {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared = 0; ///< bytes
  bool cooperative = false;         ///< all blocks are resident together (grid-wide barriers)
};

/// How the threads of a launch lie in its warps.
[[nodiscard]] Geometry geometry_of(const LaunchShape& shape);

} // namespace gantry::simt::exec
