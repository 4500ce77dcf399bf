// What memory a lane sees at an address, and whether it may access it: the rules that compiled
// code, the evaluator and system calls share. Compiled code decides the common cases by itself
// (lower/warp_checks.cpp).
//
// Global memory is what the shadow of device_memory.h calls accessible. The windows of shared and
// local memory lie in the same arena, but are never marked there: a generic address of one is good
// only for the block or the warp whose window it is (and for other blocks of its cluster), and an
// address that an instruction calls global is not. On a device that may use the host's memory
// (host_memory.h), that is good too.
#pragma once

#include "simt/exec/warp/warp.h"

#include <cstddef>
#include <cstdint>

namespace gantry::simt::exec {

class LaneMemory {
public:
  /// `warp` outlives this.
  LaneMemory(const Warp& warp, unsigned lane) : warp_(&warp), lane_(lane) {}

  /// A generic address of local memory, of whichever lane, means the same offset in this lane's
  /// own memory, because GCC's code keeps one such address in shared memory for all lanes.
  [[nodiscard]] std::uint64_t own_address(std::uint64_t address) const;

  /// Whether an access of `size` bytes to `address`, of which the first `needed` have to be there,
  /// is allowed. For kShared and kLocal the address is an offset; a generic one is an
  /// own_address().
  [[nodiscard]] bool may_access(AccessSpace space, std::uint64_t address, std::uint32_t size,
                                std::uint32_t needed, AccessKind kind) const;

  /// `size` bytes at a generic address, to be read; null if the lane may not.
  [[nodiscard]] const std::byte* readable(std::uint64_t address, std::uint32_t size) const;

private:
  [[nodiscard]] bool in_own_window(std::uint64_t address, std::uint32_t size,
                                   AccessKind kind) const;
  [[nodiscard]] bool in_cluster(std::uint64_t address, std::uint32_t size) const;
  [[nodiscard]] bool is_on_host(std::uint64_t address, std::uint32_t size, AccessKind kind) const;

  const Warp* warp_;
  unsigned lane_;
};

} // namespace gantry::simt::exec
