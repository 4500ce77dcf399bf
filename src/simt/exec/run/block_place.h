// What all blocks of a grid share, and the places that they are executed in.
#pragma once

#include "simt/exec/blocks/launch.h"
#include "simt/exec/code/code.h"
#include "simt/exec/engine/scheduler.h"
#include "simt/exec/programs/prepared_kernel.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace gantry::simt::exec {

/// Worked out once.
struct Grid {
  Launch* launch;
  const PreparedKernel* kernel;
  bool interpreted = false;
  bool may_suspend = false;
  Code* functions = nullptr;
  std::atomic<bool> is_quick = false; ///< the kernel's code, when it was last looked at
  std::uint32_t threads = 0, warps = 0;
  std::uint32_t shared_size = 0;
  std::uint32_t local_bytes = 0;
  std::uint64_t barrier = 0; ///< address of the grid's barrier; 0: not a cooperative launch
  std::uint64_t blocks = 0;  ///< or clusters, if the launch has some
  bool in_clusters = false;
  std::uint32_t blocks_of_cluster = 1;
  std::atomic<std::uint64_t> next = 0;
  std::uint64_t chunk = 1;

  /// The kernel's code as it is now: it is improved while blocks run.
  [[nodiscard]] Code code() const {
    return __atomic_load_n(&functions[launch->kernel], __ATOMIC_ACQUIRE);
  }
};

/// Makes a place ready for blocks of this grid; null if there is no memory for it. A block of a
/// cluster has the shared memory of its rank among `windows`.
[[nodiscard]] std::unique_ptr<BlockSlot>
open_slot(const Grid& grid, const std::shared_ptr<SharedWindows>& windows = nullptr,
          std::uint32_t rank = 0);
/// The thread keeps it for blocks of this grid or another one.
void close_slot(std::unique_ptr<BlockSlot> slot);

/// The block of a rank in cluster `number`, which is a block by itself where the launch has none,
/// begins in the place.
void set_block(const Grid& grid, BlockSlot& slot, std::uint64_t number, std::uint32_t rank,
               unsigned thread);

} // namespace gantry::simt::exec
