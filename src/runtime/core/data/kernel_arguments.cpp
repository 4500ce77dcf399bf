#include "runtime/core/data/kernel_arguments.h"

#include "runtime/core/data/attachment.h"
#include "runtime/core/host/host_memory.h"
#include "runtime/core/reports/text.h"

#include <algorithm>
#include <cstring>

namespace gantry::core {

namespace {

/// Private copies are aligned as the originals are, up to a cache line.
std::uint64_t alignment_of(std::uintptr_t original) {
  return original == 0 ? 1 : std::min<std::uint64_t>(original & (~original + 1), 64);
}

std::uint64_t aligned_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Whether the original of a large private copy is there, as that of a mapped item must be.
Status check_original(const MapItem& item) {
  constexpr std::uint64_t kLarge = 4096; // what is smaller is hardly ever there in part
  if (item.size < kLarge) [[likely]] {
    return {};
  }
  const std::uintptr_t begin = address(item.begin);
  const auto missing =
      HostMemory::instance().first_missing(begin, item.size, HostMemory::Access::kRead);
  if (!missing) {
    return {};
  }
  return fail("private copy of {}: the host's storage ends at {:#x}, {} from the item's first",
              named_extent(item.name, begin, item.size), *missing,
              counted(*missing - begin, "byte"));
}

} // namespace

PrivateLayout::PrivateLayout(Items items, ParameterForm form)
    : block(form == ParameterForm::kBlock) {
  for (const MapItem& item : items) {
    values += item.argument ? 1 : 0;
  }
  size = block ? sizeof(void*) * values : 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == MapKind::kPrivate) {
      offsets.resize(items.size());
      offsets[i] = aligned_up(size, alignment_of(address(items[i].begin)));
      size = offsets[i] + items[i].size;
    }
  }
}

Status append_arguments(MappingTable& table, Items items, ConstructWork& work,
                        KernelArguments& arguments, const PrivateLayout& layout,
                        PrivateStorage& storage) {
  const Mappings& found = work.found;
  const auto& [block, values, size, offsets] = layout;
  // Where the first content is put together: many small copies would take longer than a large one.
  std::byte* host = storage.host();
  const bool copied = block && size > 0 && host == nullptr;
  if (copied) {
    host = storage.stage(size);
  }
  const std::size_t first = arguments.size();
  arguments.resize(first + (block ? 1 : values));
  void** value_at = block ? reinterpret_cast<void**>(host) : arguments.data() + first;

  for (std::size_t i = 0; i < items.size(); ++i) {
    const MapItem& item = items[i];
    // Without corresponding storage a pointer keeps its value (section 13.8, implicit
    // firstprivate of pointers).
    std::uintptr_t value = address(item.base);
    switch (item.kind) {
    case MapKind::kStorage:
      if (found[i] != nullptr) {
        value = found[i]->device_address(address(item.base));
      }
      break;
    case MapKind::kPointee:
      value = *reinterpret_cast<const std::uintptr_t*>(item.base);
      if (found[i] != nullptr) {
        value = found[i]->device_address(value);
      }
      break;
    case MapKind::kPrivate: {
      const std::uintptr_t copy = storage.begin() + offsets[i];
      if (item.to && item.size > 0) {
        GANTRY_TRY(check_original(item));
        if (host != nullptr) {
          std::memcpy(host + offsets[i], item.begin, item.size);
        } else {
          work.transfers.initialise(copy, item.begin, item.size);
        }
      }
      value = copy + (address(item.base) - address(item.begin));
      break;
    }
    case MapKind::kCapture: {
      const std::uintptr_t pointee = corresponding_pointee(table, item);
      const std::uintptr_t slot = address(item.base);
      if (items[item.parent].kind == MapKind::kPrivate) {
        const std::uint64_t offset =
            offsets[item.parent] + (slot - address(items[item.parent].begin));
        if (pointee != 0 && host != nullptr) {
          std::memcpy(host + offset, &pointee, sizeof pointee);
        } else if (pointee != 0) {
          work.transfers.point(storage.begin() + offset, slot, sizeof pointee, pointee);
        }
      } else if (Mapping* object = found[item.parent]; object != nullptr && !object->shared()) {
        if (pointee != 0) {
          work.transfers.point(object->device_address(slot), slot, sizeof pointee, pointee);
        }
        work.attachments.push_back({object, {slot, sizeof pointee, address(item.begin), pointee}});
        work.mark(*object);
      }
      break;
    }
    case MapKind::kAttachment:
    case MapKind::kValue:
      break;
    }
    if (item.argument) {
      *value_at++ = reinterpret_cast<void*>(value);
    }
  }
  if (block) {
    arguments[first] = reinterpret_cast<void*>(storage.begin());
  }
  if (copied) {
    work.transfers.initialise(storage.begin(), host, size);
  }
  return {};
}

} // namespace gantry::core
