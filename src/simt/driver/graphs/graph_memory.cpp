#include "simt/driver/graphs/graph_memory.h"

#include "simt/driver/allocations.h"
#include "simt/driver/context.h"
#include "simt/driver/device.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace gantry::simt::driver {

namespace {

struct Usage {
  std::uint64_t now = 0;
  std::uint64_t most = 0;
  void add(std::uint64_t bytes) {
    now += bytes;
    most = std::max(most, now);
  }
};

/// All allocations by their addresses, and how much memory each device has in them.
struct Registry {
  struct Entry {
    std::weak_ptr<GraphAllocation> allocation;
    std::uint64_t id = 0; ///< of its record: the context's end may have freed it
  };
  struct OfDevice {
    Usage used, reserved;
  };
  std::mutex mutex;
  std::map<CUdeviceptr, Entry> allocations;
  std::map<const Device*, OfDevice> devices;

  static Registry& instance() {
    static auto* const registry = new Registry;
    return *registry;
  }
};

/// Of the attribute; null if there is no such attribute.
std::uint64_t* number_of(Registry::OfDevice& usage, CUgraphMem_attribute attribute) {
  switch (attribute) {
  case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
    return &usage.used.now;
  case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
    return &usage.used.most;
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
    return &usage.reserved.now;
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
    return &usage.reserved.most;
  }
  return nullptr;
}

} // namespace

tl::expected<std::shared_ptr<GraphAllocation>, CUresult>
GraphAllocation::create(Context& context, std::uint64_t bytes) {
  AllocationRecord record;
  record.bytes = bytes;
  record.device = &context.device();
  record.context = context.id();
  const auto address = Allocations::instance().allocate(std::move(record));
  if (!address) {
    return tl::unexpected(address.error());
  }
  std::shared_ptr<GraphAllocation> allocation(
      new GraphAllocation(context.device(), *address, bytes));
  const std::uint64_t id = Allocations::instance().find(*address)->id;
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  registry.allocations.insert_or_assign(*address, Registry::Entry{allocation, id});
  registry.devices[&context.device()].reserved.add(bytes);
  return allocation;
}

GraphAllocation::~GraphAllocation() {
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  Registry::OfDevice& usage = registry.devices[&device_];
  usage.reserved.now -= bytes_;
  const auto found = registry.allocations.find(address_);
  if (found == registry.allocations.end() || !found->second.allocation.expired()) {
    return; // the context has ended, and another allocation is there
  }
  const std::uint64_t id = found->second.id;
  registry.allocations.erase(found);
  if (allocated()) {
    usage.used.now -= bytes_;
    return;
  }
  const auto record = Allocations::instance().find(address_);
  if (record && record->id == id) {
    (void)Allocations::instance().release(address_, {MemoryKind::kDevice});
  }
}

std::shared_ptr<GraphAllocation> GraphAllocation::at(CUdeviceptr address) {
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.allocations.find(address);
  return found == registry.allocations.end() ? nullptr : found->second.allocation.lock();
}

void GraphAllocation::set_allocated(bool allocated) {
  if (allocated_.exchange(allocated) == allocated) {
    return;
  }
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  Usage& used = registry.devices[&device_].used;
  if (allocated) {
    used.add(bytes_);
  } else {
    used.now -= bytes_;
  }
}

void GraphAllocation::begin() const {
  if (UninitialisedBytes* const uninitialised = DeviceMemory::instance()->uninitialised()) {
    uninitialised->mark_uninitialised(address_, bytes_);
  }
}

bool free_graph_memory(CUdeviceptr address) {
  const std::shared_ptr<GraphAllocation> allocation = GraphAllocation::at(address);
  if (allocation == nullptr || !allocation->allocated()) {
    return false;
  }
  allocation->set_allocated(false);
  return true;
}

CUresult graph_memory_attribute(const Device& device, CUgraphMem_attribute attribute, void* value) {
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  const std::uint64_t* const number = number_of(registry.devices[&device], attribute);
  if (number == nullptr || value == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(value, number, sizeof(*number));
  return CUDA_SUCCESS;
}

CUresult reset_graph_memory_attribute(const Device& device, CUgraphMem_attribute attribute,
                                      const void* value) {
  std::uint64_t wanted = 0;
  if (value == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(&wanted, value, sizeof(wanted));
  // A program can only set the highest numbers back.
  if (wanted != 0 || (attribute != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH &&
                      attribute != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  Registry::OfDevice& usage = registry.devices[&device];
  Usage& which = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ? usage.used : usage.reserved;
  which.most = which.now;
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver
