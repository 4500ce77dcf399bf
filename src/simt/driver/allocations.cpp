#include "simt/driver/allocations.h"

#include "simt/driver/device.h"
#include "simt/driver/memory_pool.h"

#include <algorithm>
#include <vector>

namespace gantry::simt::driver {

Allocations& Allocations::instance() {
  static Allocations* const allocations = new Allocations;
  return *allocations;
}

tl::expected<std::uint64_t, CUresult> Allocations::allocate(AllocationRecord record) {
  const bool counts = record.kind == MemoryKind::kDevice;
  if (counts && !record.device->take_memory(record.bytes)) {
    return tl::unexpected(CUDA_ERROR_OUT_OF_MEMORY);
  }
  Allocation what;
  what.address = record.address;
  what.size = record.bytes;
  what.kind = record.kind;
  what.device = record.device->ordinal();
  what.context = record.context;
  const std::optional<std::uint64_t> address = DeviceMemory::instance()->allocate(what);
  if (!address) {
    if (counts) {
      record.device->give_memory(record.bytes);
    }
    return tl::unexpected(CUDA_ERROR_OUT_OF_MEMORY);
  }
  record.address = *address;
  if (record.pool != nullptr) {
    record.pool->count(record.bytes);
  }
  const std::lock_guard lock(mutex_);
  record.id = next_id_++;
  records_.emplace(*address, std::move(record));
  return *address;
}

CUresult Allocations::register_host(AllocationRecord record) {
  if (!DeviceMemory::instance()->register_host(record.address, record.bytes, record.context)) {
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  }
  record.kind = MemoryKind::kRegistered;
  const std::lock_guard lock(mutex_);
  record.id = next_id_++;
  records_.insert_or_assign(record.address, std::move(record));
  return CUDA_SUCCESS;
}

bool Allocations::release(std::uint64_t address, std::initializer_list<MemoryKind> kinds) {
  std::unique_lock lock(mutex_);
  const auto found = records_.find(address);
  if (found == records_.end() || std::ranges::find(kinds, found->second.kind) == kinds.end()) {
    return false;
  }
  const AllocationRecord record = std::move(found->second);
  records_.erase(found);
  lock.unlock();
  give_back(record);
  return true;
}

void Allocations::give_back(const AllocationRecord& record) {
  if (record.kind == MemoryKind::kRegistered) {
    DeviceMemory::instance()->unregister_host(record.address);
    return;
  }
  DeviceMemory::instance()->free(record.address);
  if (record.kind == MemoryKind::kDevice) {
    record.device->give_memory(record.bytes);
  }
  if (record.pool != nullptr) {
    record.pool->discount(record.bytes);
  }
}

void Allocations::free_of_context(std::uint64_t context) {
  std::vector<AllocationRecord> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto position = records_.begin(); position != records_.end();) {
      if (position->second.context == context) {
        ended.push_back(std::move(position->second));
        position = records_.erase(position);
      } else {
        ++position;
      }
    }
  }
  for (const AllocationRecord& record : ended) {
    give_back(record);
  }
}

std::optional<AllocationRecord> Allocations::find(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto after = records_.upper_bound(address);
  if (after == records_.begin()) {
    return std::nullopt;
  }
  const AllocationRecord& record = std::prev(after)->second;
  return address - record.address < record.bytes ? std::optional(record) : std::nullopt;
}

tl::expected<RangeKind, CUresult> classify(std::uint64_t address, std::uint64_t bytes,
                                           RangeSide side) {
  const auto refused = tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  if (address == 0 || bytes > UINT64_MAX - address) {
    return refused;
  }
  const DeviceMemory& memory = *DeviceMemory::instance();
  const std::optional<Allocation> found = memory.find(address);
  if (!found) {
    const bool touches_arena =
        address < memory.arena() + memory.arena_size() && address + bytes > memory.arena();
    return side == RangeSide::kDevice || touches_arena
               ? refused
               : tl::expected<RangeKind, CUresult>(RangeKind::kPageable);
  }
  const bool inside = bytes <= found->size - (address - found->address);
  switch (found->kind) {
  case MemoryKind::kDevice:
  case MemoryKind::kGlobal:
    // What may not be accessed is kept for later use (gantry/simt_driver.h).
    if (side == RangeSide::kHost || !inside || !memory.accessible(address, 1)) {
      return refused;
    }
    return RangeKind::kDevice;
  case MemoryKind::kPinned:
  case MemoryKind::kManaged:
    if (!inside) {
      return refused;
    }
    return found->kind == MemoryKind::kPinned ? RangeKind::kPinned : RangeKind::kManaged;
  case MemoryKind::kRegistered:
    if (!inside) {
      // The rest is memory of the program as well, only not registered.
      return side == RangeSide::kDevice ? refused
                                        : tl::expected<RangeKind, CUresult>(RangeKind::kPageable);
    }
    return RangeKind::kPinned;
  case MemoryKind::kReserved:
    // Mappings beside each other are one range.
    if (side == RangeSide::kHost || !memory.accessible(address, bytes)) {
      return refused;
    }
    return RangeKind::kDevice;
  case MemoryKind::kHeap:
  case MemoryKind::kShared:
  case MemoryKind::kLocal:
    break;
  }
  return refused;
}

} // namespace gantry::simt::driver
