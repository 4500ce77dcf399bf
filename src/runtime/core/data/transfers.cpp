#include "runtime/core/data/transfers.h"

#include "runtime/core/data/address_space.h"
#include "runtime/core/host/host_memory.h"
#include "runtime/core/reports/text.h"

#include <algorithm>

namespace gantry::core {

namespace {

constexpr std::string_view kNotMapped =
    "a pointer to device memory is named by is_device_ptr or has_device_addr, not mapped";

/// Says of the copy of a list item's storage what is wrong.
[[gnu::cold]] Status refuse_copy(const Mapping& mapping, Transfers::Direction direction,
                                 std::string_view what) {
  return fail(
      "{} of {}{}: {}",
      direction == Transfers::Direction::kToDevice ? "copy to the device" : "copy to the host",
      named_extent(mapping.name, mapping.host_begin, mapping.size()),
      mapping.mapped_at == nullptr ? "" : ", mapped" + at_position(mapping.mapped_at), what);
}

/// Says that the original storage of a list item is not there from `missing` on. Far from what
/// copies pass through.
[[gnu::cold]] Status not_on_host(const Mapping& mapping, std::uintptr_t missing,
                                 Transfers::Direction direction) {
  const auto of_item = [&](std::string_view what) { return refuse_copy(mapping, direction, what); };
  HostMemory& host = HostMemory::instance();
  if (direction == Transfers::Direction::kFromDevice && host.is_readable(missing, 1)) {
    return of_item(fmt::format("the host's storage cannot be written from {:#x} on; map what is "
                               "only read with map type to",
                               missing));
  }
  if (missing == mapping.host_begin) {
    // Where only a part is missing, the program meant storage of the host, and what a device has
    // there now says nothing.
    if (const std::string owner = AddressSpace::holder_of(missing); !owner.empty()) {
      return of_item(fmt::format("the host has no storage at {:#x}, which is {}; {}", missing,
                                 owner, kNotMapped));
    }
    return of_item("the host has no storage there; was it freed, or is the pointer not set?");
  }
  return of_item(fmt::format("the host's storage ends at {:#x}, {} from the item's first; is its "
                             "length counted in elements, and the object as large?",
                             missing, counted(missing - mapping.host_begin, "byte")));
}

/// Whether the host's side of a copy is there: that a program names more than an object has is no
/// reason to crash.
Status check_host(const Mapping& mapping, std::uintptr_t begin, std::uint64_t size,
                  std::uint64_t pieces, std::uint64_t stride, Transfers::Direction direction) {
  HostMemory& host = HostMemory::instance();
  const auto access = direction == Transfers::Direction::kToDevice ? HostMemory::Access::kRead
                                                                   : HostMemory::Access::kWrite;
  if (!host.first_missing(begin, (pieces - 1) * stride + size, access)) [[likely]] {
    return {};
  }
  // What lies between pieces need not be there.
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uintptr_t piece = begin + i * stride;
    if (auto missing = host.first_missing(piece, size, access)) {
      if (*missing == piece && i > 0) { // it ends behind the piece before
        missing = host.first_missing(piece - stride, stride + 1, access);
      }
      return not_on_host(mapping, missing.value_or(piece), direction);
    }
  }
  return {};
}

/// What a plugin says of a copy that failed, or better: drivers whose device memory the host can
/// read, or seems to, refuse it as a host's address, and do not know whose it is.
[[gnu::cold]] Status explain(Status failed, const Mapping& mapping, std::uintptr_t begin,
                             Transfers::Direction direction) {
  const std::string owner = AddressSpace::holder_of(begin);
  return owner.empty() ? failed
                       : refuse_copy(mapping, direction,
                                     fmt::format("the host address {:#x} is {}; {} ({})", begin,
                                                 owner, kNotMapped, failed.error().message));
}

} // namespace

void Transfers::copy(Mapping& mapping, std::uintptr_t begin, std::uint64_t size,
                     Direction direction, std::uint16_t clause) {
  // An implicit item may reach beyond what is mapped.
  const std::uintptr_t first = std::max(begin, mapping.host_begin);
  const std::uintptr_t end = std::min(begin + size, mapping.host_end);
  if (first < end) {
    transfers_.emplace_back(&mapping, first, 0, end - first, direction, clause);
  }
}

void Transfers::copy(Mapping& mapping, const MapItem& item, Direction direction) {
  const std::uintptr_t first = address(item.begin);
  transfers_.emplace_back(&mapping, first, 0, item.size, direction, item.clause(), item.pieces,
                          item.stride);
}

void Transfers::initialise(std::uintptr_t device_address, const void* original,
                           std::uint64_t size) {
  transfers_.emplace_back(nullptr, address(original), device_address, size, Direction::kToDevice);
}

void Transfers::point(std::uintptr_t device_slot, std::uintptr_t host_slot, std::uint64_t size,
                      std::uintptr_t value) {
  pointers_.emplace_back(device_slot, host_slot, size, value);
}

Status Transfers::run_of(const Mapping& mapping, Queue& queue) {
  for (Transfer& transfer : transfers_) {
    if (transfer.mapping == &mapping && !transfer.done) {
      transfer.done = true;
      GANTRY_TRY(run(queue, transfer));
    }
  }
  return {};
}

Status Transfers::run(Queue& queue, Queue::Wait wait) const {
  if (transfers_.size() == 1 && pointers_.empty() && !transfers_.front().done) {
    return run(queue, transfers_.front(), wait);
  }
  Status outcome;
  for (const Transfer& transfer : transfers_) {
    if (transfer.done) {
      continue;
    }
    if (Status status = run(queue, transfer); !status && outcome) {
      outcome = std::move(status);
    }
  }
  for (const Pointer& pointer : pointers_) {
    if (Status status = run(queue, pointer); !status && outcome) {
      outcome = std::move(status);
    }
  }
  return outcome;
}

Status Transfers::run(Queue& queue, const Transfer& transfer, Queue::Wait wait) {
  const bool to_device = transfer.direction == Direction::kToDevice;
  const std::uintptr_t device = transfer.mapping == nullptr
                                    ? transfer.device
                                    : transfer.mapping->device_address(transfer.host);
  const auto copy = [&](std::uintptr_t begin, std::uintptr_t end,
                        Queue::Wait waits = Queue::Wait::kLater) -> Status {
    if (begin >= end) {
      return {};
    }
    auto* host = reinterpret_cast<void*>(begin);
    auto* corresponding = reinterpret_cast<void*>(device + (begin - transfer.host));
    EventId id = 0;
    OperationScope operation;
    if (queue.construct().tells(Event::kCopy, Event::kOperation)) [[unlikely]] {
      id = queue.tell_copy(
          transfer.mapping == nullptr ? Copied::What::kPrivate : Copied::What::kItem, to_device,
          transfer.mapping == nullptr ? nullptr : transfer.mapping->name, begin,
          address(corresponding), end - begin, operation, 0, transfer.clause);
    }
    Status status = to_device ? queue.submit(corresponding, host, end - begin, waits, id)
                              : queue.retrieve(host, corresponding, end - begin, waits, id);
    if (operation.begun() && !to_device && status) {
      status = queue.synchronize(); // its end says that the bytes are there
    }
    return status || transfer.mapping == nullptr
               ? status
               : explain(std::move(status), *transfer.mapping, begin, transfer.direction);
  };
  std::span<const AttachedPointer> attached;
  if (transfer.mapping != nullptr) {
    attached = transfer.mapping->attached;
    if (Status status = check_host(*transfer.mapping, transfer.host, transfer.size, transfer.pieces,
                                   transfer.stride, transfer.direction);
        !status) {
      return status;
    }
  }
  if (attached.empty() && transfer.pieces == 1) {
    return copy(transfer.host, transfer.host + transfer.size, wait);
  }
  // They are sorted by address, and so are the pieces.
  auto pointer = std::ranges::partition_point(attached, [&](const AttachedPointer& candidate) {
    return candidate.host_slot + candidate.size <= transfer.host;
  });
  std::uintptr_t piece = transfer.host;
  for (std::uint64_t i = 0; i < transfer.pieces; ++i, piece += transfer.stride) {
    std::uintptr_t cursor = piece;
    const std::uintptr_t end = piece + transfer.size;
    while (pointer != attached.end() && pointer->host_slot < end) {
      if (Status status = copy(cursor, pointer->host_slot); !status) {
        return status;
      }
      cursor = std::max(cursor, pointer->host_slot + pointer->size);
      if (cursor > end) {
        break; // it reaches into the next piece
      }
      ++pointer;
    }
    if (Status status = copy(cursor, end); !status) {
      return status;
    }
  }
  return {};
}

Status Transfers::run(Queue& queue, const Pointer& pointer) {
  EventId id = 0;
  OperationScope operation;
  if (queue.construct().tells(Event::kCopy, Event::kOperation)) [[unlikely]] {
    id = queue.tell_copy(Copied::What::kPointer, true, nullptr, pointer.value, pointer.device_slot,
                         sizeof pointer.value, operation, pointer.host_slot);
  }
  auto* slot = reinterpret_cast<std::byte*>(pointer.device_slot);
  Status status = queue.submit(slot, &pointer.value, sizeof pointer.value, Queue::Wait::kLater, id);
  if (status && pointer.size > sizeof pointer.value) {
    status = queue.submit(slot + sizeof pointer.value,
                          reinterpret_cast<const void*>(pointer.host_slot + sizeof pointer.value),
                          pointer.size - sizeof pointer.value);
  }
  return status;
}

} // namespace gantry::core
