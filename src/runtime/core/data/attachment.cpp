#include "runtime/core/data/attachment.h"

#include "runtime/core/reports/text.h"

#include <algorithm>
#include <cstring>

namespace gantry::core {

void attach(MappingTable& table, const MapItem& item, ConstructWork& work) {
  const std::uintptr_t slot = address(item.base);
  const std::uint64_t slot_size = item.kind == MapKind::kPointee ? sizeof(void*) : item.size;
  const Lookup pointer = table.find(slot, slot_size);
  if (pointer.presence != Presence::kPresent) {
    return;
  }
  const Lookup pointee = table.find(address(item.begin), 0);
  if (pointee.presence != Presence::kPresent) {
    return;
  }
  const bool either_new =
      pointer.mapping->created_by == work.call || pointee.mapping->created_by == work.call;
  // A section's always is about its copy, not its pointer.
  const bool always = item.always && item.kind == MapKind::kAttachment;
  // The value of a link variable's pointer says nothing of what is present: what a construct maps
  // of the variable is what its region uses.
  const bool if_unattached = item.if_unattached || pointer.mapping->link_pointer;
  if (!either_new && !always && !if_unattached) {
    return;
  }
  if (pointer.mapping->shared()) {
    // The host's own pointer, which already points to the original storage.
    return;
  }
  // Not before it is known to be present: with nowait the pointer may be a variable that is gone.
  std::uintptr_t value = 0;
  std::memcpy(&value, item.base, sizeof value);
  const std::uintptr_t corresponding = pointee.mapping->device_address(value);
  const AttachedPointer* const attached = pointer.mapping->attached_at(slot);
  if (!either_new && !always && attached != nullptr && attached->pointee == value &&
      attached->value == corresponding) {
    return;
  }
  work.transfers.point(pointer.mapping->device_address(slot), slot, slot_size, corresponding);
  work.attachments.push_back({pointer.mapping, {slot, slot_size, value, corresponding}});
  work.mark(*pointer.mapping);
}

bool points_to_own_storage(MappingTable& table, Items items, std::uintptr_t begin,
                           std::uint64_t size, ConstructWork& work) {
  if (table.separate() == 0) {
    return false;
  }
  const auto slot_of = [](const MapItem* item) { return address(item->base); };
  if (!work.attaching) {
    work.attaching.emplace();
    for (const MapItem& item : items) {
      if (item.kind == MapKind::kPointee || item.kind == MapKind::kAttachment) {
        work.attaching->push_back(&item);
      }
    }
    std::ranges::sort(*work.attaching, {}, slot_of);
  }
  auto inside = std::ranges::lower_bound(*work.attaching, begin, {}, slot_of);
  for (; inside != work.attaching->end() && slot_of(*inside) - begin < size; ++inside) {
    const Lookup pointee = table.find(address((*inside)->begin), 0);
    if (pointee.presence == Presence::kPresent && !pointee.mapping->shared()) {
      return true;
    }
  }
  return false;
}

std::uintptr_t corresponding_pointee(MappingTable& table, const MapItem& item) {
  const Lookup pointee = table.find(address(item.begin), 0);
  return pointee.presence == Presence::kPresent
             ? pointee.mapping->device_address(address(item.begin))
             : 0;
}

} // namespace gantry::core
