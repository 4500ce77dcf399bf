// Copies between original and corresponding storage, and pointer attachment
// (OpenMP 5.2, section 5.8.3).
#include "runtime/core/data_environment.h"

#include <algorithm>
#include <cstring>

namespace gantry::core {

namespace {
std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}
} // namespace

Status DataEnvironment::copy(const Mapping& mapping, std::uintptr_t begin, std::uint64_t size,
                             Direction direction, const Construct& construct) {
  if (mapping.shared()) {
    return {};
  }
  // An implicit item may reach beyond what is mapped.
  std::uintptr_t cursor = std::max(begin, mapping.host_begin);
  const std::uintptr_t end = std::min(begin + size, mapping.host_end);
  const auto copy_until = [&](std::uintptr_t stop) -> Status {
    if (stop <= cursor) {
      return {};
    }
    auto* host = reinterpret_cast<void*>(cursor);
    auto* device = reinterpret_cast<void*>(mapping.device_address(cursor));
    const std::uint64_t bytes = stop - cursor;
    const bool to_device = direction == Direction::kToDevice;
    if (info_enabled(Info::kTransfer)) [[unlikely]] {
      info("{}: {} bytes of '{}' {} device", label(construct), bytes, map_name(mapping.name),
           to_device ? "to" : "from");
    }
    return to_device ? device_.submit(device, host, bytes) : device_.retrieve(host, device, bytes);
  };
  // Attached pointers keep their value on either side; they are sorted by address.
  for (const AttachedPointer& pointer : mapping.attached) {
    if (pointer.host_slot + pointer.size <= cursor) {
      continue;
    }
    if (pointer.host_slot >= end) {
      break;
    }
    if (Status status = copy_until(pointer.host_slot); !status) {
      return status;
    }
    cursor = pointer.host_slot + pointer.size;
  }
  return copy_until(end);
}

Status DataEnvironment::attach(const MapItem& item, std::uint64_t call) {
  const std::uintptr_t slot = address(item.base);
  const std::uint64_t slot_size = item.kind == MapKind::kPointee ? sizeof(void*) : item.size;
  const Lookup pointer = table_.find(slot, slot_size);
  const Lookup pointee = table_.find(address(item.begin), 0);
  if (pointer.presence != Presence::kPresent || pointee.presence != Presence::kPresent) {
    return {};
  }
  const bool either_new =
      pointer.mapping->created_by == call || pointee.mapping->created_by == call;
  if (!either_new && !item.always) {
    return {};
  }
  if (pointer.mapping->shared()) {
    // The host's own pointer, which already points to the original storage.
    return {};
  }
  std::uintptr_t value = 0;
  std::memcpy(&value, item.base, sizeof value);
  value = pointee.mapping->device_address(value);
  const std::uintptr_t device_slot = pointer.mapping->device_address(slot);
  if (Status status = device_.submit(reinterpret_cast<void*>(device_slot), &value, sizeof value);
      !status) {
    return status;
  }
  if (slot_size > sizeof value) {
    // A descriptor: the pointer comes first, the rest is as on the host.
    if (Status status = device_.submit(reinterpret_cast<void*>(device_slot + sizeof value),
                                       item.base + sizeof value, slot_size - sizeof value);
        !status) {
      return status;
    }
  }
  pointer.mapping->attach(slot, slot_size);
  return {};
}

bool DataEnvironment::points_to_own_storage(std::span<const MapItem> items, std::uintptr_t begin,
                                            std::uint64_t size) {
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

} // namespace gantry::core
