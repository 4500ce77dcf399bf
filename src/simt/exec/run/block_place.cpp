#include "simt/exec/run/block_place.h"

#include "simt/exec/blocks/known_ranges.h"
#include "simt/exec/engine/services.h"
#include "simt/exec/run/grid.h"
#include "simt/host/of_thread.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace gantry::simt::exec {

namespace {

// Slots of blocks that have ended, kept by each thread for further blocks.
class SlotStore {
public:
  /// Null if there is no memory for one.
  std::unique_ptr<BlockSlot> take(std::uint32_t local_bytes, std::int32_t device) {
    for (auto it = slots_.begin(); it != slots_.end(); ++it) {
      if ((*it)->local_bytes == local_bytes && (*it)->device == device) {
        std::unique_ptr<BlockSlot> slot = std::move(*it);
        slots_.erase(it);
        return slot;
      }
    }
    return BlockSlot::make(local_bytes, device);
  }
  void give(std::unique_ptr<BlockSlot> slot) {
    if (slots_.size() < 4) {
      slots_.push_back(std::move(slot));
    }
  }

private:
  std::vector<std::unique_ptr<BlockSlot>> slots_;
};

// The part of a warp that is the same for all blocks of the grid.
void set_up_warp(const Grid& grid, BlockSlot& slot, std::uint32_t index) {
  const LaunchShape& shape = grid.launch->shape;
  WarpSlot& place = *slot.warps[index];
  Warp& warp = place.warp;
  const std::uint32_t first = index * kLanes;
  const std::uint32_t lanes = std::min(kLanes, grid.threads - first);
  warp.exists = lanes == kLanes ? kAllLanes : (1U << lanes) - 1;
  warp.warp_index = index;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t thread = first + lane;
    place.lane_tid[0][lane] = thread % shape.block[0];
    place.lane_tid[1][lane] = thread / shape.block[0] % shape.block[1];
    place.lane_tid[2][lane] = thread / shape.block[0] / shape.block[1];
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    warp.tid[axis] = place.lane_tid[axis][0];
    warp.ntid[axis] = shape.block[axis];
    warp.nctaid[axis] = shape.grid[axis];
    warp.nclusterid[axis] = shape.grid[axis] / shape.cluster[axis];
    warp.cluster_nctaid[axis] = shape.cluster[axis];
  }
  warp.cluster_nctarank = shape.blocks_of_cluster();
  warp.is_explicit_cluster = shape.in_clusters ? 1 : 0;
  warp.nsmid = thread_count();
  warp.grid_id = grid.launch->grid_id;
  warp.static_shared = grid.kernel->facts.static_shared;
  warp.dynamic_shared = shape.dynamic_shared;
  warp.shared_size = grid.shared_size;
  warp.shared = reinterpret_cast<std::byte*>(slot.shared_memory);
  warp.parameters = reinterpret_cast<const std::byte*>(slot.shared_memory + kSharedWindow);
  warp.variables = grid.kernel->variables.data();
  warp.functions = grid.functions;
  warp.function_base = grid.launch->program->function_base;
  warp.services = &services();
  const DeviceMemory& memory = *DeviceMemory::instance();
  warp.shadow = memory.shadow();
  warp.arena = memory.arena();
  warp.arena_size = memory.arena_size();
  warp.known = of_thread<KnownRanges>().ranges();
  warp.stack_limit = place.stack.limit();
  warp.block = &slot.block;
  warp.envreg[1] = static_cast<std::uint32_t>(grid.barrier >> 32);
  warp.envreg[2] = static_cast<std::uint32_t>(grid.barrier);
}

using Place = std::array<std::uint32_t, 3>;

// Of number `number` in a box of that size, x first.
Place place_in(const std::uint32_t (&size)[3], std::uint64_t number) {
  return {static_cast<std::uint32_t>(number % size[0]),
          static_cast<std::uint32_t>(number / size[0] % size[1]),
          static_cast<std::uint32_t>(number / size[0] / size[1])};
}

} // namespace

std::unique_ptr<BlockSlot>
open_slot(const Grid& grid, const std::shared_ptr<SharedWindows>& windows, std::uint32_t rank) {
  const std::int32_t device = grid.launch->program->options.device;
  std::unique_ptr<BlockSlot> slot =
      windows == nullptr ? of_thread<SlotStore>().take(grid.local_bytes, device)
                         : std::make_unique<BlockSlot>(grid.local_bytes, device, windows, rank);
  while (slot != nullptr && slot->warps.size() < grid.warps) {
    std::unique_ptr<WarpSlot> warp = WarpSlot::make(grid.local_bytes, slot->device);
    if (warp == nullptr) {
      slot.reset();
    } else {
      slot->warps.push_back(std::move(warp));
    }
  }
  if (slot == nullptr) {
    return nullptr;
  }
  if (const std::uint32_t bytes = grid.kernel->facts.parameter_bytes) {
    std::memcpy(reinterpret_cast<void*>(slot->shared_memory + kSharedWindow),
                grid.launch->parameters, bytes);
  }
  slot->block.launch = grid.launch;
  if (!slot->block.watch && grid.launch->watch) {
    slot->block.watch = grid.launch->watch->watch_block();
  }
  slot->block.shared = slot->shared_memory;
  slot->block.shared_size = grid.shared_size;
  slot->block.warps = grid.warps;
  slot->block.alive.fill(0); // of warps that this launch's blocks do not have
  for (std::uint32_t i = 0; i < grid.warps; ++i) {
    set_up_warp(grid, *slot, i);
  }
  return slot;
}

void close_slot(std::unique_ptr<BlockSlot> slot) {
  of_thread<SlotStore>().give(std::move(slot));
}

void set_block(const Grid& grid, BlockSlot& slot, std::uint64_t number, std::uint32_t rank,
               unsigned thread) {
  const LaunchShape& shape = grid.launch->shape;
  const std::uint32_t clusters[3] = {shape.grid[0] / shape.cluster[0],
                                     shape.grid[1] / shape.cluster[1],
                                     shape.grid[2] / shape.cluster[2]};
  const Place cluster = place_in(clusters, number);
  const Place in_cluster = place_in(shape.cluster, rank);
  Block& block = slot.block;
  of_thread<KnownRanges>().begin_block(*DeviceMemory::instance());
  block.warps_alive = grid.warps;
  for (unsigned axis = 0; axis < 3; ++axis) {
    block.index[axis] = cluster[axis] * shape.cluster[axis] + in_cluster[axis];
  }
  for (std::uint32_t i = 0; i < grid.warps; ++i) {
    Warp& warp = slot.warps[i]->warp;
    for (unsigned axis = 0; axis < 3; ++axis) {
      warp.ctaid[axis] = block.index[axis];
      warp.clusterid[axis] = cluster[axis];
      warp.cluster_ctaid[axis] = in_cluster[axis];
    }
    warp.cluster_ctarank = rank;
    warp.smid = thread;
    warp.live = warp.alive = warp.exists;
    warp.local_used = 0;
    warp.fuel = kLoopFuel;
    block.alive[i] = warp.exists;
  }
  if (block.watch) {
    block.watch->begin(block, slot.warps[0]->warp);
  }
}

} // namespace gantry::simt::exec
