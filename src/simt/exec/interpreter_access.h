// Where the accesses of a warp go, and whether they may: what loads, stores and atomics share.
#pragma once

#include "simt/exec/interpreter_machine.h"

namespace gantry::simt::exec::interpreter {

/// Each lane's address as memory of the host. Ends the launch with a report if a lane may not
/// access `size` bytes there, or if its address is not a multiple of `size`.
struct Places {
  std::array<std::byte*, kLanes> at = {};
};
[[nodiscard]] Places checked_places(Machine& machine, Group& group, const Operation& operation,
                                    const Address& address, LaneMask active, std::uint32_t size,
                                    AccessKind kind);
/// For an access of `sizes[lane]` bytes to an address that is a multiple of `alignment`.
[[nodiscard]] Places checked_places(Machine& machine, Group& group, const Operation& operation,
                                    const Address& address, LaneMask active,
                                    const std::array<std::uint32_t, kLanes>& sizes,
                                    std::uint32_t alignment, AccessKind kind);

/// Single accesses of 1, 2, 4 or 8 bytes, each whole even if other threads access the memory.
[[nodiscard]] std::uint64_t load(const std::byte* at, unsigned size, Order order);
void store(std::byte* at, unsigned size, std::uint64_t value, Order order);

} // namespace gantry::simt::exec::interpreter
