#include "runtime/core/constructs/memory.h"

#include "runtime/core/reports/text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace gantry::core {

namespace {

/// What moves between two devices, or is filled, at a time.
constexpr std::uint64_t kPiece = 1u << 20;

Result<void*> allocate_on_host(std::uint64_t size) {
  void* pointer = std::malloc(size);
  if (pointer == nullptr) {
    return fail("{} bytes of the host's memory cannot be had", size);
  }
  return pointer;
}

/// From one device to another, or within one, by way of the host and piece by piece.
Status copy_by_host(Device& to_device, std::byte* to, Device& from_device, const std::byte* from,
                    std::uint64_t size) {
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(std::min(size, kPiece));
  // Where the source is overwritten by its own copy, the end of it that is overwritten last comes
  // last, as in memmove.
  const bool backwards = &to_device == &from_device && to > from;
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t count = std::min(kPiece, size - done);
    const std::uint64_t offset = backwards ? size - done - count : done;
    Status status = from_device.plugin_device().retrieve(buffer.get(), from + offset, count);
    if (status) {
      status = to_device.plugin_device().submit(to + offset, buffer.get(), count);
    }
    if (!status) {
      return status;
    }
    done += count;
  }
  return {};
}

Status copy_bytes(const Copy& copy) {
  Device* to_device = copy.to.device;
  Device* from_device = copy.from.device;
  std::byte* to = copy.to.pointer + copy.to_offset;
  const std::byte* from = copy.from.pointer + copy.from_offset;
  if (to_device == nullptr && from_device == nullptr) {
    std::memmove(to, from, copy.size);
    return {};
  }
  if (to_device != nullptr && from_device != nullptr) {
    const PluginDevice& from_plugin = from_device->plugin_device();
    const PluginDevice& to_plugin = to_device->plugin_device();
    const bool apart = to_device != from_device || copy.is_apart();
    return apart && from_plugin.reaches(to_plugin)
               ? from_plugin.send(from, to_plugin, to, copy.size)
               : copy_by_host(*to_device, to, *from_device, from, copy.size);
  }
  return to_device != nullptr ? to_device->plugin_device().submit(to, from, copy.size)
                              : from_device->plugin_device().retrieve(to, from, copy.size);
}

} // namespace

Result<void*> allocate(Device* device, std::uint64_t size, MemoryKind kind) {
  if (device == nullptr) {
    return allocate_on_host(size);
  }
  if (kind != MemoryKind::kDevice && !device->plugin_device().host_accessible()) {
    return fail("{}: the device has no access to the host's memory, so there is none that both can "
                "use; allocate device memory instead",
                device->label());
  }
  auto allocated =
      kind == MemoryKind::kDevice ? device->plugin_device().allocate(size) : allocate_on_host(size);
  if (!allocated) {
    return with_context(device->explain(allocated.error()), device->label());
  }
  device->allocations().insert(address(*allocated), size, kind);
  return allocated;
}

Status release(const Memory& memory, MemoryKind kind) {
  if (memory.device == nullptr) {
    std::free(memory.pointer);
    return {};
  }
  Status status = memory.device->allocations().remove(address(memory.pointer), kind);
  if (status && kind == MemoryKind::kDevice) {
    status = memory.device->plugin_device().release(memory.pointer);
  } else if (status) {
    std::free(memory.pointer);
  }
  return status ? status
                : with_context(memory.device->explain(status.error()), memory.device->label());
}

Status check(const Memory& memory, std::uint64_t offset, std::uint64_t size,
             std::string_view name) {
  if (size == 0) {
    return {};
  }
  if (memory.pointer == nullptr) {
    return fail("'{}' is a null pointer, of which {} bytes are to be accessed", name, size);
  }
  std::uint64_t end = 0;
  if (__builtin_add_overflow(address(memory.pointer), offset, &end) ||
      __builtin_add_overflow(end, size, &end)) {
    return fail("'{}': {} bytes at offset {} from {} reach past the end of the address space", name,
                size, offset, fmt::ptr(memory.pointer));
  }
  if (memory.device == nullptr) {
    return {};
  }
  Status status = memory.device->allocations().check(address(memory.pointer), offset, size);
  return status
             ? status
             : with_context(status.error(), fmt::format("{}: '{}'", memory.device->label(), name));
}

Status check_host(const Memory& memory, std::uint64_t offset, std::uint64_t size,
                  HostMemory::Access access, std::string_view name) {
  if (memory.device != nullptr) {
    return {};
  }
  HostMemory& host = HostMemory::instance();
  const std::uintptr_t begin = address(memory.pointer) + offset;
  const auto missing = host.first_missing(begin, size, access);
  if (!missing) [[likely]] {
    return {};
  }
  if (access == HostMemory::Access::kWrite && host.is_readable(*missing, 1)) {
    return fail("'{}': the host's memory cannot be written from {:#x} on", name, *missing);
  }
  if (*missing == begin) {
    const std::string owner = AddressSpace::holder_of(begin);
    return fail("'{}': the host has no memory at {:#x}{}", name, begin,
                owner.empty() ? owner : ", which is " + owner);
  }
  return fail("'{}': the host's memory ends at {:#x}, behind {} of {}", name, *missing,
              *missing - begin, counted(size, "byte"));
}

Status check(const Copy& copy) {
  Status status = check(copy.to, copy.to_offset, copy.size, "dst");
  if (status) {
    status = check(copy.from, copy.from_offset, copy.size, "src");
  }
  return status ? check_host(copy) : status;
}

Status check_host(const Copy& copy) {
  Status status = check_host(copy.to, copy.to_offset, copy.size, HostMemory::Access::kWrite, "dst");
  return status
             ? check_host(copy.from, copy.from_offset, copy.size, HostMemory::Access::kRead, "src")
             : status;
}

Status explained(const Copy& copy, Status status) {
  if (status) [[likely]] {
    return status;
  }
  Device* const to = copy.to.device;
  Device* const from = copy.from.device;
  if (to != nullptr && from != nullptr) {
    const bool is_from = status.error().device_lost && from->plugin_device().is_lost();
    return with_context((is_from ? from : to)->explain(status.error()),
                        fmt::format("{} to {}", from->label(), to->label()));
  }
  Device& device = to != nullptr ? *to : *from;
  return with_context(device.explain(status.error()), device.label());
}

EventId tell_of(const Copy& copy, const Construct& routine, OperationScope& operation) {
  if (!routine.tells(Event::kCopy, Event::kOperation)) [[likely]] {
    return 0;
  }
  const bool to_device = copy.to.device != nullptr;
  const Memory& on_device = to_device ? copy.to : copy.from;
  const DeviceName& device = on_device.device->plugin_device().name();
  const EventId id = next_event_id();
  const std::uintptr_t to = address(copy.to.pointer) + copy.to_offset;
  const std::uintptr_t from = address(copy.from.pointer) + copy.from_offset;
  tell(Copied{{routine, device},
              id,
              Copied::What::kRoutine,
              to_device,
              nullptr,
              to_device ? from : to,
              to_device ? to : from,
              copy.size,
              event_time(),
              0,
              to_device && copy.from.device != nullptr});
  if (routine.tells(Event::kOperation)) {
    const auto number = [](const Memory& memory) {
      return memory.device == nullptr ? Operation::kHost : memory.device->number();
    };
    operation.begin(
        routine, device,
        {Operation::What::kCopy, number(copy.from), number(copy.to), from, to, copy.size}, id);
  }
  return id;
}

Status perform(const Copy& copy, const Construct& routine) {
  if (copy.size == 0) {
    return {};
  }
  const bool is_on_host = copy.to.device == nullptr && copy.from.device == nullptr;
  EventId id = 0;
  Status status;
  {
    OperationScope operation;
    id = is_on_host ? 0 : tell_of(copy, routine, operation);
    status = copy_bytes(copy);
  }
  if (id != 0 && status && routine.tells(Event::kCompletion)) [[unlikely]] {
    const Memory& on_device = copy.to.device != nullptr ? copy.to : copy.from;
    tell(Completion{
        {routine, on_device.device->plugin_device().name()}, id, nullptr, event_time(), {}});
  }
  return is_on_host ? status : explained(copy, std::move(status));
}

Status check(const Fill& fill) {
  Status status = check(fill.memory, 0, fill.size, "ptr");
  return status ? check_host(fill.memory, 0, fill.size, HostMemory::Access::kWrite, "ptr") : status;
}

Status perform(const Fill& fill) {
  if (fill.size == 0) {
    return {};
  }
  if (fill.memory.device == nullptr) {
    std::memset(fill.memory.pointer, std::to_integer<int>(fill.value), fill.size);
    return {};
  }
  Device& device = *fill.memory.device;
  const std::vector<std::byte> piece(std::min(fill.size, kPiece), fill.value);
  for (std::uint64_t done = 0; done < fill.size; done += piece.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(piece.size(), fill.size - done);
    Status status = device.plugin_device().submit(fill.memory.pointer + done, piece.data(), count);
    if (!status) {
      return with_context(device.explain(status.error()), device.label());
    }
  }
  return {};
}

} // namespace gantry::core
