// What the device memory routines do, apart from their error values (OpenMP 5.2, section 18.8; 6.0
// for filling): allocations that are known to their device, copies and fills between any two
// places.
//
// Every range is checked before the first byte is touched: it does not wrap around, is not of a
// null pointer, stays inside a known allocation that its pointer is in, and, on the host, is there.
// Copies are done on return and go by the value of their source before the copy also where both
// ranges overlap. Any thread.
#pragma once

#include "base/result.h"
#include "runtime/core/devices/allocation_table.h"
#include "runtime/core/host/host_memory.h"
#include "runtime/core/runtime/device.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gantry::core {

/// A pointer together with the place that it means something in.
struct Memory {
  Device* device = nullptr; ///< null: the host
  std::byte* pointer = nullptr;
};

/// Allocates `size` > 0 bytes that release() frees; of the C library for the host.
[[nodiscard]] Result<void*> allocate(Device* device, std::uint64_t size, MemoryKind kind);

/// Frees what allocate() gave for the same device and kind.
[[nodiscard]] Status release(const Memory& memory, MemoryKind kind);

/// Says why [pointer + offset, + size) of `memory` may not be accessed. `name` is the argument's.
[[nodiscard]] Status check(const Memory& memory, std::uint64_t offset, std::uint64_t size,
                           std::string_view name);

/// Says why the host cannot access [pointer + offset, + size), which check() passed: the memory is
/// not there, or protected. A device's memory is not looked at.
[[nodiscard]] Status check_host(const Memory& memory, std::uint64_t offset, std::uint64_t size,
                                HostMemory::Access access, std::string_view name);

/// One contiguous copy.
struct Copy {
  Memory to;
  Memory from;
  std::uint64_t to_offset = 0;
  std::uint64_t from_offset = 0;
  std::uint64_t size = 0;

  /// The two ranges do not overlap, if they are of one place.
  [[nodiscard]] bool is_apart() const {
    const std::byte* const begin_to = to.pointer + to_offset;
    const std::byte* const begin_from = from.pointer + from_offset;
    return begin_to + size <= begin_from || begin_from + size <= begin_to;
  }
};
[[nodiscard]] Status check(const Copy& copy);
[[nodiscard]] Status check_host(const Copy& copy);
/// Of what check() passed; `routine` makes it.
[[nodiscard]] Status perform(const Copy& copy, const Construct& routine);
/// Tells that the copy, which has bytes, is about to be made, and begins `operation`, as far as
/// such is told. The number is for Completion; 0: nothing is told.
[[nodiscard]] EventId tell_of(const Copy& copy, const Construct& routine,
                              OperationScope& operation);
/// A failure of the copy with what its devices know of it.
[[nodiscard]] Status explained(const Copy& copy, Status status);

/// Sets `size` bytes to `value`.
struct Fill {
  Memory memory;
  std::uint64_t size = 0;
  std::byte value{};
};
[[nodiscard]] Status check(const Fill& fill);
/// Of what check() passed.
[[nodiscard]] Status perform(const Fill& fill);

} // namespace gantry::core
