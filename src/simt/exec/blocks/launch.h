// A launch under way: what all its blocks share.
#pragma once

#include "simt/exec/blocks/block_watch.h"
#include "simt/exec/programs/launch_shape.h"
#include "simt/exec/programs/program_state.h"
#include "simt/exec/warp/fault.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace gantry::simt::exec {

/// A grid being executed; shared by the host threads that run its blocks.
struct Launch {
  ProgramState* program = nullptr;
  std::uint32_t kernel = 0; ///< index in Program::functions
  LaunchShape shape;
  Geometry geometry = Geometry::kGeneral;
  const std::byte* parameters = nullptr;
  std::uint64_t grid_id = 0;

  std::uint64_t announced = 0;      ///< its number for the race check, if it has one
  std::unique_ptr<GridWatch> watch; ///< null unless GANTRY_SIMT_CHECK asks for more than memory

  /// Lanes of some warp wait in a loop for others of the same warp.
  std::atomic<bool> lanes_wait_in_loops = false;

  /// The first fault; set once. Blocks end when they see `failed`.
  std::atomic<bool> failed = false;
  std::mutex fault_mutex;
  std::optional<Fault> fault;
  /// Ends the launch with this fault, unless it has failed already.
  void fail(Fault why);
};

} // namespace gantry::simt::exec
