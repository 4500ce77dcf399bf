#include "runtime/core/devices/allocation_table.h"

#include "runtime/core/reports/text.h"

#include <algorithm>
#include <string_view>

namespace gantry::core {

namespace {

std::string_view routine_that_frees(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::kHost:
    return "llvm_omp_target_free_host";
  case MemoryKind::kShared:
    return "llvm_omp_target_free_shared";
  case MemoryKind::kDevice:
    break;
  }
  return "omp_target_free";
}

} // namespace

void AllocationTable::insert(std::uintptr_t begin, std::uint64_t size, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  live_.insert_or_assign(begin, Extent{size, kind});
}

void AllocationTable::for_each(
    const std::function<void(std::uintptr_t, std::uint64_t)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [begin, extent] : live_) {
    visit(begin, extent.size);
  }
}

AllocationTable::Extents::const_iterator AllocationTable::around(std::uintptr_t address) const {
  const auto next = live_.upper_bound(address);
  if (next == live_.begin()) {
    return live_.end();
  }
  const auto previous = std::prev(next);
  return address - previous->first < previous->second.size ? previous : live_.end();
}

std::optional<AllocationTable::Freed> AllocationTable::freed_at(std::uintptr_t begin) const {
  const auto found = std::ranges::find(freed_, begin, &Freed::begin);
  return found == freed_.end() ? std::nullopt : std::optional(*found);
}

Status AllocationTable::remove(std::uintptr_t begin, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  const auto found = around(begin);
  if (found == live_.end()) {
    if (const auto freed = freed_at(begin)) {
      return fail("the allocation {} was freed already", extent(freed->begin, freed->size));
    }
    return fail("{:#x} was not allocated on this device; pass the pointer and the device number of "
                "the routine that allocated",
                begin);
  }
  const auto& [start, allocation] = *found;
  if (start != begin) {
    return fail("{:#x} lies inside the allocation {}; pass the address of its first byte", begin,
                extent(start, allocation.size));
  }
  if (allocation.kind != kind) {
    return fail("the allocation {} is of another kind; free it with {}",
                extent(start, allocation.size), routine_that_frees(allocation.kind));
  }
  freed_[next_freed_] = {start, allocation.size};
  next_freed_ = (next_freed_ + 1) % freed_.size();
  live_.erase(found);
  return {};
}

Status AllocationTable::check(std::uintptr_t begin, std::uint64_t offset,
                              std::uint64_t size) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = around(begin); found != live_.end()) {
    const auto& [start, allocation] = *found;
    const std::uint64_t room = allocation.size - (begin - start);
    if (offset <= room && size <= room - offset) {
      return {};
    }
    return fail("{} bytes at {:#x} reach past the allocation {}, which ends {} bytes behind {:#x}",
                size, begin + offset, extent(start, allocation.size), room, begin);
  }
  const std::uintptr_t first = begin + offset;
  const auto next = live_.lower_bound(first);
  const bool starts_inside = around(first) != live_.end();
  if (size != 0 && (starts_inside || (next != live_.end() && next->first - first < size))) {
    const auto& [start, allocation] = starts_inside ? *around(first) : *next;
    return fail("{} bytes at {:#x} run into the allocation {} from a pointer that is not in it",
                size, first, extent(start, allocation.size));
  }
  return {};
}

bool AllocationTable::contains(std::uintptr_t begin, std::uint64_t size) const {
  const std::lock_guard lock(mutex_);
  const auto found = around(begin);
  return found != live_.end() && size <= found->second.size - (begin - found->first);
}

std::optional<AllocationTable::Located> AllocationTable::locate(std::uintptr_t address) const {
  if (const auto live = holding(address)) {
    return live;
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 1; i <= freed_.size(); ++i) {
    const Freed& freed = freed_[(next_freed_ + freed_.size() - i) % freed_.size()];
    if (address >= freed.begin && address - freed.begin < freed.size) {
      return Located{freed.begin, freed.size, MemoryKind::kDevice, true};
    }
  }
  return std::nullopt;
}

std::optional<AllocationTable::Located> AllocationTable::holding(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  const auto found = around(address);
  return found == live_.end()
             ? std::nullopt
             : std::optional(Located{found->first, found->second.size, found->second.kind});
}

std::optional<AllocationTable::Located> AllocationTable::preceding(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  const auto next = live_.upper_bound(address);
  if (next == live_.begin()) {
    return std::nullopt;
  }
  const auto& [begin, allocation] = *std::prev(next);
  return Located{begin, allocation.size, allocation.kind};
}

std::optional<AllocationTable::Located> AllocationTable::following(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  const auto next = live_.upper_bound(address);
  return next == live_.end()
             ? std::nullopt
             : std::optional(Located{next->first, next->second.size, next->second.kind});
}

bool AllocationTable::empty() const {
  const std::lock_guard lock(mutex_);
  return live_.empty();
}

std::vector<std::string> AllocationTable::leaks() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> found;
  for (const auto& [begin, allocation] : live_) {
    found.push_back(
        fmt::format("the allocation {} is not freed at the end", extent(begin, allocation.size)));
  }
  return found;
}

} // namespace gantry::core
