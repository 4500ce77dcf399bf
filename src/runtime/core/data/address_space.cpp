#include "runtime/core/data/address_space.h"

#include "runtime/core/reports/text.h"

#include <algorithm>
#include <vector>

namespace gantry::core {

namespace {

/// How far from a variable an access is taken for one that was meant for it.
constexpr std::uint64_t kNearBytes = 4096;

/// "14 bytes past the end of", also where it begins there.
std::string past_the_end(std::uint64_t distance) {
  return distance == 0 ? "right behind the end of" : counted(distance, "byte") + " past the end of";
}

/// The devices of the process, in the order in which they were opened. Never destroyed: devices
/// fail while the process ends, too.
struct Spaces {
  Mutex mutex{LockRank::kAddressSpaces};
  std::vector<const AddressSpace*> all;
};

Spaces& spaces() {
  static auto* const instance = new Spaces;
  return *instance;
}

} // namespace

AddressSpace::AddressSpace(const DeviceName& device, const StorageNames& names,
                           const AllocationTable& allocations)
    : device_(device), names_(names), allocations_(allocations) {
  const std::lock_guard lock(spaces().mutex);
  spaces().all.push_back(this);
}

AddressSpace::~AddressSpace() {
  const std::lock_guard lock(spaces().mutex);
  std::erase(spaces().all, this);
}

std::string AddressSpace::inside(std::uintptr_t address) const {
  if (const auto storage = names_.at(address)) {
    return fmt::format("{}{}, {}", storage->name, at_offset(address - storage->begin),
                       storage->facts());
  }
  const auto allocation = allocations_.locate(address);
  if (allocation && !allocation->freed) {
    return fmt::format("the allocation {}{}", extent(allocation->begin, allocation->size),
                       at_offset(address - allocation->begin));
  }
  if (const auto gone = names_.gone_at(address)) {
    return fmt::format("freed device memory: {}{}, which had {}, was unmapped{}", gone->name,
                       at_offset(address - gone->begin), counted(gone->size, "byte"),
                       gone->unmapped_at);
  }
  if (allocation) {
    return fmt::format("freed device memory: the allocation {}{}",
                       extent(allocation->begin, allocation->size),
                       at_offset(address - allocation->begin));
  }
  return {};
}

std::string AddressSpace::around(std::uintptr_t address) const {
  if (std::string known = inside(address); !known.empty()) {
    return known;
  }
  const auto before = names_.before(address);
  const auto allocated = allocations_.preceding(address);
  const std::uintptr_t end = before ? before->begin + before->size : 0;
  const std::uintptr_t allocated_end = allocated ? allocated->begin + allocated->size : 0;
  if (allocated_end > end && address - allocated_end <= kNearBytes) {
    return fmt::format("{} the allocation {}", past_the_end(address - allocated_end),
                       extent(allocated->begin, allocated->size));
  }
  if (end != 0 && address - end <= kNearBytes) {
    return fmt::format("{} {}, {}", past_the_end(address - end), before->name, before->facts());
  }
  const auto behind = names_.behind(address);
  const auto allocated_behind = allocations_.following(address);
  if (allocated_behind && allocated_behind->begin - address <= kNearBytes &&
      (!behind || allocated_behind->begin < behind->begin)) {
    return fmt::format("{} before the allocation {}",
                       counted(allocated_behind->begin - address, "byte"),
                       extent(allocated_behind->begin, allocated_behind->size));
  }
  if (behind && behind->begin - address <= kNearBytes) {
    return fmt::format("{} before {}, {}", counted(behind->begin - address, "byte"), behind->name,
                       behind->facts());
  }
  return {};
}

std::string AddressSpace::device_around(std::uintptr_t address, const AddressSpace& but) {
  const std::lock_guard lock(spaces().mutex);
  for (const AddressSpace* const space : spaces().all) {
    if (const std::string known = space == &but ? "" : space->around(address); !known.empty()) {
      return fmt::format("memory of {}: {}", space->device_.label, known);
    }
  }
  return {};
}

std::string AddressSpace::holder_of(std::uintptr_t address) {
  const std::lock_guard lock(spaces().mutex);
  for (const AddressSpace* const space : spaces().all) {
    if (const std::string known = space->inside(address); !known.empty()) {
      return fmt::format("memory of {}: {}", space->device_.label, known);
    }
  }
  return {};
}

} // namespace gantry::core
