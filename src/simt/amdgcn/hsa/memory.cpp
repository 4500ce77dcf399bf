#include "simt/amdgcn/hsa/memory.h"

#include "simt/memory/device_memory.h"
#include "simt/memory/host_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace gantry::simt::hsa {

Memory& Memory::instance() {
  static auto* const memory = new Memory;
  return *memory;
}

hsa_status_t Memory::allocate(const Pool& pool, std::uint64_t bytes, void** address,
                              std::uint64_t at) {
  const bool counts = pool.kind == PoolKind::kDevice;
  if (counts && !pool.owner->take(bytes)) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  Allocation what;
  what.address = at;
  what.size = bytes;
  what.kind = counts ? MemoryKind::kDevice : MemoryKind::kPinned;
  what.device = std::max(pool.owner->device, 0);
  what.context = pool.handle;
  const auto allocated = DeviceMemory::instance()->allocate(what);
  if (!allocated) {
    if (counts) {
      pool.owner->give(bytes);
    }
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const std::lock_guard lock(mutex_);
  allocations_.insert(*allocated);
  *address = reinterpret_cast<void*>(*allocated);
  return HSA_STATUS_SUCCESS;
}

namespace {

void free_allocation(std::uint64_t address) {
  const auto allocation = DeviceMemory::instance()->find(address);
  if (allocation && DeviceMemory::instance()->free(address) &&
      allocation->kind == MemoryKind::kDevice) {
    Agents::instance().of_device(allocation->device)->give(allocation->size);
  }
}

} // namespace

hsa_status_t Memory::free(void* address) {
  const auto number = reinterpret_cast<std::uint64_t>(address);
  {
    const std::lock_guard lock(mutex_);
    if (allocations_.erase(number) == 0) {
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    }
  }
  free_allocation(number);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::lock(void* address, std::uint64_t bytes) {
  const auto number = reinterpret_cast<std::uint64_t>(address);
  DeviceMemory& memory = *DeviceMemory::instance();
  if (!is_accessible(number, bytes, false)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const std::lock_guard lock(mutex_);
  if (number - memory.arena() < memory.arena_size()) {
    locks_.emplace(number, 0);
    return HSA_STATUS_SUCCESS;
  }
  // What lies in locked memory is accessible as long as any of the two is locked. That locked
  // ranges overlap otherwise is not offered.
  const auto after = registrations_.upper_bound(number);
  if (after != registrations_.begin()) {
    auto& [begin, registration] = *std::prev(after);
    const std::uint64_t offset = number - begin;
    if (offset < registration.bytes && bytes <= registration.bytes - offset) {
      ++registration.locks;
      locks_.emplace(number, begin);
      return HSA_STATUS_SUCCESS;
    }
  }
  if (!memory.register_host(number, bytes, 0)) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  registrations_.emplace(number, Registration{bytes, 1});
  locks_.emplace(number, number);
  return HSA_STATUS_SUCCESS;
}

void Memory::release(std::uint64_t registration) {
  const auto found = registrations_.find(registration);
  if (found != registrations_.end() && --found->second.locks == 0) {
    DeviceMemory::instance()->unregister_host(registration);
    registrations_.erase(found);
  }
}

hsa_status_t Memory::unlock(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = locks_.find(reinterpret_cast<std::uint64_t>(address));
  if (found == locks_.end()) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  release(found->second);
  locks_.erase(found);
  return HSA_STATUS_SUCCESS;
}

void Memory::clear() {
  const std::lock_guard lock(mutex_);
  for (const std::uint64_t address : allocations_) {
    free_allocation(address);
  }
  allocations_.clear();
  for (const auto& [address, registration] : registrations_) {
    DeviceMemory::instance()->unregister_host(address);
  }
  registrations_.clear();
  locks_.clear();
}

bool is_accessible(std::uint64_t address, std::uint64_t bytes, bool for_write) {
  const DeviceMemory& memory = *DeviceMemory::instance();
  return address - memory.arena() < memory.arena_size()
             ? memory.accessible(address, bytes)
             : is_mapped_on_host(address, bytes, for_write);
}

bool copy(void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) {
    return true;
  }
  const auto to_address = reinterpret_cast<std::uint64_t>(to);
  const auto from_address = reinterpret_cast<std::uint64_t>(from);
  if (!is_accessible(to_address, bytes, true) || !is_accessible(from_address, bytes, false)) {
    return false;
  }
  std::memmove(to, from, bytes);
  DeviceMemory::instance()->note_copy(to_address, from_address, bytes);
  return true;
}

void fill(void* to, std::uint32_t value, std::uint64_t count) {
  std::fill_n(static_cast<std::uint32_t*>(to), count, value);
  const auto address = reinterpret_cast<std::uint64_t>(to);
  if (UninitialisedBytes* const uninitialised = DeviceMemory::instance()->uninitialised()) {
    uninitialised->mark_written(address, count * sizeof value);
  }
}

} // namespace gantry::simt::hsa
