// Pointer attachment (OpenMP 5.2, section 5.8.3).
#include "runtime/core/data_environment.h"

#include "runtime/core/extent.h"

#include <algorithm>
#include <cstring>

namespace gantry::core {

void DataEnvironment::attach(const MapItem& item, ConstructWork& work) {
  const std::uintptr_t slot = address(item.base);
  const std::uint64_t slot_size = item.kind == MapKind::kPointee ? sizeof(void*) : item.size;
  const Lookup pointer = table_.find(slot, slot_size);
  if (pointer.presence != Presence::kPresent) {
    return;
  }
  const Lookup pointee = table_.find(address(item.begin), 0);
  if (pointee.presence != Presence::kPresent) {
    return;
  }
  const bool either_new =
      pointer.mapping->created_by == work.call || pointee.mapping->created_by == work.call;
  if (!either_new && !item.always) {
    return;
  }
  if (pointer.mapping->shared()) {
    // The host's own pointer, which already points to the original storage.
    return;
  }
  // Not before it is known to be present: with nowait the pointer may be a variable that is gone.
  std::uintptr_t value = 0;
  std::memcpy(&value, item.base, sizeof value);
  work.transfers.point(pointer.mapping->device_address(slot), slot, slot_size,
                       pointee.mapping->device_address(value));
  work.attachments.push_back({pointer.mapping, {slot, slot_size, value}});
  mark(*pointer.mapping, work);
}

bool DataEnvironment::points_to_own_storage(Items items, std::uintptr_t begin, std::uint64_t size) {
  if (separate_storage_ == 0) {
    return false;
  }
  return std::ranges::any_of(items, [&](const MapItem& item) {
    const bool attaches = item.kind == MapKind::kPointee || item.kind == MapKind::kAttachment;
    const std::uintptr_t slot = address(item.base);
    if (!attaches || slot < begin || slot - begin >= size) {
      return false;
    }
    const Lookup pointee = table_.find(address(item.begin), 0);
    return pointee.presence == Presence::kPresent && !pointee.mapping->shared();
  });
}

void DataEnvironment::point_to_corresponding(std::uintptr_t device_slot, const MapItem& item,
                                             ConstructWork& work) {
  const Lookup pointee = table_.find(address(item.begin), 0);
  if (pointee.presence == Presence::kPresent) {
    work.transfers.point(device_slot, address(item.base), sizeof(void*),
                         pointee.mapping->device_address(address(item.begin)));
  }
}

} // namespace gantry::core
