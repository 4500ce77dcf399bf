#include "simt/memory/device_heap.h"

#include "simt/memory/device_memory.h"
#include "simt/memory/range_allocator.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>

namespace gantry::simt {

namespace {

constexpr std::uint64_t kBlockAlignment = 16;
/// Inaccessible bytes in front of the first block and after each.
constexpr std::uint64_t kRedZone = 16;
constexpr std::size_t kFreedRemembered = 256;

struct Heap {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  RangeAllocator ranges;
  std::map<std::uint64_t, std::uint64_t> live; ///< address, bytes asked for
  std::deque<HeapBlock> freed;                 ///< the last ones
};

struct Heaps {
  std::mutex mutex;
  std::map<std::int32_t, Heap> by_device; ///< those in use
  std::map<std::int32_t, Limits> limits;  ///< those that were set
};

Heaps& heaps() {
  // Never destroyed: a late destructor may still wait for kernels.
  static auto* const all = new Heaps();
  return *all;
}

Limits limits_in(const Heaps& all, std::int32_t device) {
  const auto found = all.limits.find(device);
  return found == all.limits.end() ? Limits{} : found->second;
}

std::uint64_t footprint(std::uint64_t size) {
  return round_up(size, kBlockAlignment) + kRedZone;
}

/// The device's heap, made if there is none; null if there is no room for it.
Heap* heap_of(Heaps& all, std::int32_t device) {
  const auto found = all.by_device.find(device);
  if (found != all.by_device.end()) {
    return &found->second;
  }
  const std::uint64_t size = limits_in(all, device).heap_bytes & ~(kBlockAlignment - 1);
  DeviceMemory* const memory = DeviceMemory::instance();
  if (memory == nullptr || size <= kRedZone) {
    return nullptr;
  }
  const auto base = memory->allocate({.address = 0,
                                      .size = size,
                                      .kind = MemoryKind::kHeap,
                                      .device = device,
                                      .context = 0,
                                      .name = {}});
  if (!base) {
    return nullptr;
  }
  memory->set_accessible(*base, size, false);
  Heap& heap = all.by_device[device];
  heap.base = *base;
  heap.size = size;
  heap.ranges = RangeAllocator(*base + kRedZone, size - kRedZone, size / 8);
  return &heap;
}

bool is_inside(const HeapBlock& block, std::uint64_t address) {
  return address - block.address < block.size;
}

/// The live block that begins last at or before `address`.
std::optional<HeapBlock> live_before(const Heap& heap, std::uint64_t address) {
  const auto next = heap.live.upper_bound(address);
  if (next == heap.live.begin()) {
    return std::nullopt;
  }
  return HeapBlock{std::prev(next)->first, std::prev(next)->second, false};
}

} // namespace

std::uint64_t device_malloc(std::int32_t device, std::uint64_t size) {
  Heaps& all = heaps();
  const std::lock_guard lock(all.mutex);
  Heap* const heap = heap_of(all, device);
  if (heap == nullptr || size > heap->size) {
    return 0;
  }
  const auto address = heap->ranges.take(footprint(size));
  if (!address) {
    return 0;
  }
  heap->live.emplace(*address, size);
  DeviceMemory& memory = *DeviceMemory::instance();
  memory.set_accessible(*address, size, true);
  if (memory.uninitialised() != nullptr) {
    memory.uninitialised()->mark_uninitialised(*address, size);
  }
  return *address;
}

FreeResult device_free(std::int32_t device, std::uint64_t address) {
  if (address == 0) {
    return FreeResult::kFreed;
  }
  Heaps& all = heaps();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_device.find(device);
  if (found == all.by_device.end()) {
    return FreeResult::kNotFromHeap;
  }
  Heap& heap = found->second;
  const auto block = heap.live.find(address);
  if (block == heap.live.end()) {
    const auto before = live_before(heap, address);
    if (before && is_inside(*before, address)) {
      return FreeResult::kInside;
    }
    return std::ranges::find(heap.freed, address, &HeapBlock::address) == heap.freed.end()
               ? FreeResult::kNotFromHeap
               : FreeResult::kFreedAlready;
  }
  const std::uint64_t size = block->second;
  heap.live.erase(block);
  DeviceMemory::instance()->set_accessible(address, round_up(size, kBlockAlignment), false);
  heap.ranges.retire(address, footprint(size), footprint(size));
  heap.freed.push_back({address, size, true});
  if (heap.freed.size() > kFreedRemembered) {
    heap.freed.pop_front();
  }
  return FreeResult::kFreed;
}

void release_heap(std::int32_t device) {
  Heaps& all = heaps();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_device.find(device);
  if (found != all.by_device.end()) {
    DeviceMemory::instance()->free(found->second.base);
    all.by_device.erase(found);
  }
}

std::optional<HeapBlock> nearest_heap_block(std::uint64_t address) {
  Heaps& all = heaps();
  const std::lock_guard lock(all.mutex);
  for (const auto& [device, heap] : all.by_device) {
    if (address - heap.base >= heap.size) {
      continue;
    }
    const auto before = live_before(heap, address);
    if (before && is_inside(*before, address)) {
      return before;
    }
    // The last freed first: of several that had the same place it is the one that matters.
    const auto freed =
        std::find_if(heap.freed.rbegin(), heap.freed.rend(),
                     [&](const HeapBlock& block) { return is_inside(block, address); });
    if (freed != heap.freed.rend()) {
      return *freed;
    }
    const auto after = heap.live.upper_bound(address);
    const bool has_after = after != heap.live.end();
    if (before &&
        (!has_after || address - (before->address + before->size) < after->first - address)) {
      return before;
    }
    return has_after ? std::optional(HeapBlock{after->first, after->second, false}) : std::nullopt;
  }
  return std::nullopt;
}

Limits limits_of(std::int32_t device) {
  Heaps& all = heaps();
  const std::lock_guard lock(all.mutex);
  return limits_in(all, device);
}

bool set_limits(std::int32_t device, const Limits& limits) {
  Heaps& all = heaps();
  const std::lock_guard lock(all.mutex);
  if (all.by_device.contains(device) && limits.heap_bytes != limits_in(all, device).heap_bytes) {
    return false;
  }
  all.limits[device] = {.heap_bytes = limits.heap_bytes,
                        .local_bytes = std::min(limits.local_bytes, Limits::kMostLocalBytes)};
  return true;
}

} // namespace gantry::simt
