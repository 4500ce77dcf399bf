#include "simt/exec/blocks/lane_memory.h"

#include "simt/exec/blocks/block.h"
#include "simt/exec/blocks/cluster.h"
#include "simt/exec/programs/program_state.h"
#include "simt/memory/device_memory.h"
#include "simt/memory/host_memory.h"

namespace gantry::simt::exec {

namespace {

bool is_inside(std::uint64_t offset, std::uint64_t limit, std::uint32_t size) {
  return offset <= limit && limit - offset >= size;
}

std::uint64_t number_of(const std::byte* place) {
  return reinterpret_cast<std::uint64_t>(place);
}

} // namespace

std::uint64_t LaneMemory::own_address(std::uint64_t address) const {
  const std::uint64_t local = number_of(warp_->local);
  const std::uint64_t offset = address - local;
  if (offset >= std::uint64_t{warp_->local_stride} * kLanes) {
    return address;
  }
  return local + std::uint64_t{lane_} * warp_->local_stride + offset % warp_->local_stride;
}

bool LaneMemory::may_access(AccessSpace space, std::uint64_t address, std::uint32_t size,
                            std::uint32_t needed, AccessKind kind) const {
  switch (space) {
  case AccessSpace::kShared:
    return is_inside(address, warp_->shared_size, size) ||
           in_cluster(number_of(warp_->shared) + address, size);
  case AccessSpace::kLocal:
    return is_inside(address, warp_->local_size, size);
  case AccessSpace::kGeneric:
  case AccessSpace::kGlobal:
  case AccessSpace::kConst:
    break;
  }
  return DeviceMemory::instance()->accessible(address, needed) ||
         (space == AccessSpace::kGeneric &&
          (in_own_window(address, needed, kind) || in_cluster(address, needed))) ||
         is_on_host(address, size, kind);
}

// All of it, since there may be nothing behind a page.
bool LaneMemory::is_on_host(std::uint64_t address, std::uint32_t size, AccessKind kind) const {
  const DeviceMemory& memory = *DeviceMemory::instance();
  return may_use_host_memory(warp_->block->launch->program->options.device) &&
         address - memory.arena() >= memory.arena_size() &&
         is_mapped_on_host(address, size, kind != AccessKind::kLoad);
}

// A block that has ended has no shared memory any more.
bool LaneMemory::in_cluster(std::uint64_t address, std::uint32_t size) const {
  const Cluster* const cluster = warp_->block->cluster;
  return cluster != nullptr && cluster->owner_of(address, size) != nullptr;
}

// Kernels only read their parameters.
bool LaneMemory::in_own_window(std::uint64_t address, std::uint32_t size, AccessKind kind) const {
  const std::uint64_t local = number_of(warp_->local) + std::uint64_t{lane_} * warp_->local_stride;
  return is_inside(address - number_of(warp_->shared), warp_->shared_size, size) ||
         is_inside(address - local, warp_->local_size, size) ||
         (kind == AccessKind::kLoad &&
          is_inside(address - number_of(warp_->parameters), kParameterWindow, size));
}

const std::byte* LaneMemory::readable(std::uint64_t address, std::uint32_t size) const {
  const std::uint64_t own = own_address(address);
  return may_access(AccessSpace::kGeneric, own, size, size, AccessKind::kLoad)
             ? reinterpret_cast<const std::byte*>(own)
             : nullptr;
}

} // namespace gantry::simt::exec
