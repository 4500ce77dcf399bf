#include "simt/amdgcn/exec/accessible_ranges.h"

#include <algorithm>
#include <limits>

namespace gantry::simt::amdgcn {

bool AccessibleRanges::find(const Instruction* instruction, std::uint64_t address,
                            std::uint64_t size) {
  const auto found =
      std::ranges::find_if(known_, [&](const Range& range) { return is_in(range, address, size); });
  if (found == known_.end()) {
    return false;
  }
  put(instruction, *found);
  return true;
}

void AccessibleRanges::missed(const DeviceMemory& memory, const Instruction* instruction,
                              std::uint64_t address) {
  if (--misses_left_ != 0) {
    return;
  }
  const auto range = memory.known_range(address);
  const bool is_full = known_[next_].size != 0;
  patience_ = range && !is_full ? 1 : std::min(patience_ * 2, kMostMisses);
  misses_left_ = patience_;
  if (range) {
    known_[next_] = *range;
    next_ = (next_ + 1) % kKnown;
    put(instruction, *range);
  }
}

void AccessibleRanges::reset(bool all) {
  all_ = all;
  last_.fill(all ? Range{0, std::numeric_limits<std::uint64_t>::max()} : Range{});
  known_.fill({});
  next_ = 0;
  patience_ = misses_left_ = 1;
}

void AccessibleRanges::begin_group(const DeviceMemory& memory) {
  const std::uint64_t removals = memory.removals();
  if (removals != removals_) {
    removals_ = removals;
    reset(all_);
  }
}

} // namespace gantry::simt::amdgcn
