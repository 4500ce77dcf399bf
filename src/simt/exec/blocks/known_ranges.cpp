#include "simt/exec/blocks/known_ranges.h"

#include <algorithm>
#include <bit>

namespace gantry::simt::exec {

void KnownRanges::begin_block(const DeviceMemory& memory) {
  const std::uint64_t removals = memory.removals();
  if (removals != removals_) {
    removals_ = removals;
    ranges_.fill({});
    patience_.fill({});
  }
}

void KnownRanges::missed(const DeviceMemory& memory, std::uint32_t number, LaneMask active,
                         const std::uint64_t* addresses, std::uint32_t needed) {
  Patience& patience = patience_[number];
  if (--patience.left != 0) {
    return;
  }
  patience.next = std::min<std::uint16_t>(patience.next * 2, kMost);
  patience.left = patience.next;
  const auto range = memory.known_range(addresses[std::countr_zero(active)]);
  if (!range) {
    return;
  }
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const std::uint64_t offset = addresses[std::countr_zero(left)] - range->first;
    if (offset >= range->size || range->size - offset < needed) {
      return;
    }
  }
  ranges_[number] = {range->first, range->size};
}

} // namespace gantry::simt::exec
