#include "simt/amdgcn/exec/accessible_ranges.h"

#include <algorithm>
#include <limits>

namespace gantry::simt::amdgcn {

bool AccessibleRanges::find(const Instruction* instruction, std::uint64_t address,
                            std::uint64_t size) {
  const auto found = std::ranges::find_if(
      slots_, [&](const Slot& slot) { return is_in(slot.range, address, size); });
  if (found == slots_.end()) {
    return false;
  }
  put(instruction, found->range);
  return true;
}

void AccessibleRanges::missed(const exec::DeviceMemory& memory, const Instruction* instruction,
                              std::uint64_t address) {
  Slot& slot = slots_[slot_of(instruction)];
  if (--slot.left != 0) {
    return;
  }
  slot.next = std::min<std::uint16_t>(slot.next * 2, kMostMisses);
  slot.left = slot.next;
  if (const auto range = memory.known_range(address)) {
    slot.range = *range;
  }
}

void AccessibleRanges::reset(bool all) {
  all_ = all;
  Slot slot;
  if (all) {
    slot.range = {0, std::numeric_limits<std::uint64_t>::max()};
  }
  slots_.fill(slot);
}

void AccessibleRanges::begin_group(const exec::DeviceMemory& memory) {
  const std::uint64_t removals = memory.removals();
  if (removals != removals_) {
    removals_ = removals;
    reset(all_);
  }
}

} // namespace gantry::simt::amdgcn
