// From the items of a target construct to the values of its kernel's parameters, with the private
// copies that the construct makes (OpenMP 5.2, sections 5.4 and 13.8).
#include "runtime/core/data_environment.h"

#include "runtime/core/extent.h"

#include <algorithm>
#include <cstring>

namespace gantry::core {

namespace {

/// Private copies are aligned as the originals are, up to a cache line.
std::uint64_t alignment_of(std::uintptr_t original) {
  return std::min<std::uint64_t>(original & (~original + 1), 64);
}

std::uint64_t aligned_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

} // namespace

PrivateStorage::~PrivateStorage() {
  if (allocation_ != nullptr) {
    // A failure to free has no construct to report to, and none of its results depends on it.
    (void)device_.release(allocation_);
  }
}

Result<std::uintptr_t> PrivateStorage::allocate(std::uint64_t size) {
  if (device_.host_accessible() && size <= sizeof inline_) {
    return address(inline_);
  }
  auto allocated = device_.allocate(size);
  if (!allocated) {
    return with_context(allocated.error(), "private copies");
  }
  allocation_ = *allocated;
  return address(allocation_);
}

Status DataEnvironment::append_arguments(Items items, ConstructWork& work,
                                         KernelArguments& arguments, ParameterForm form,
                                         PrivateStorage& storage) {
  const Mappings& found = work.found;
  const bool block = form == ParameterForm::kBlock;
  const std::size_t first_argument = arguments.size();
  // The block and all private copies of a construct lie in one piece, in order.
  const std::uint64_t block_size =
      block ? sizeof(void*) * static_cast<std::uint64_t>(std::ranges::count_if(
                                  items, [](const MapItem& item) { return item.argument; }))
            : 0;
  std::uint64_t private_size = block_size;
  absl::InlinedVector<std::uint64_t, kInlineItems> offsets(items.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == MapKind::kPrivate) {
      offsets[i] = aligned_up(private_size, alignment_of(address(items[i].begin)));
      private_size = offsets[i] + items[i].size;
    }
  }
  std::uintptr_t private_begin = 0;
  if (private_size > 0) {
    auto allocated = storage.allocate(private_size);
    if (!allocated) {
      return tl::unexpected(allocated.error());
    }
    private_begin = *allocated;
  }
  std::byte* const staged = block ? storage.stage(private_size) : nullptr;

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
      const std::uintptr_t copy = private_begin + offsets[i];
      if (item.to && item.size > 0) {
        if (block) {
          std::memcpy(staged + offsets[i], item.begin, item.size);
        } else {
          work.transfers.initialise(copy, item.begin, item.size);
        }
      }
      value = copy + (address(item.base) - address(item.begin));
      break;
    }
    case MapKind::kCapture:
      if (items[item.parent].kind == MapKind::kPrivate) {
        const std::uintptr_t slot = private_begin + offsets[item.parent] +
                                    (address(item.base) - address(items[item.parent].begin));
        point_to_corresponding(slot, item, work);
      } else if (Mapping* object = found[item.parent]; object != nullptr && !object->shared()) {
        const std::uintptr_t slot = address(item.base);
        point_to_corresponding(object->device_address(slot), item, work);
        work.attachments.push_back({object, {slot, sizeof(void*), address(item.begin)}});
        mark(*object, work);
      }
      break;
    case MapKind::kAttachment:
    case MapKind::kValue:
      break;
    }
    if (item.argument) {
      arguments.push_back(reinterpret_cast<void*>(value));
    }
  }
  if (block) {
    // Many small copies would take longer than one that is larger.
    std::memcpy(staged, arguments.data() + first_argument, block_size);
    arguments.resize(first_argument);
    arguments.push_back(reinterpret_cast<void*>(private_begin));
    if (private_size > 0) {
      work.transfers.initialise(private_begin, staged, private_size);
    }
  }
  return {};
}

} // namespace gantry::core
