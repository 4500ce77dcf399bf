// The faults of kernels with their reports: what happened, where in the kernel and in the source,
// in which block and thread, and for an address what is there.
#pragma once

#include "simt/exec/warp/fault.h"
#include "simt/exec/warp/warp.h"
#include "simt/memory/device_heap.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::simt::exec {

struct Waiting;

/// The fault of an access by `lanes` of which the addresses are `addresses` (generic addresses, or
/// offsets in a window, by `space`). Says for each kind
/// what it is: misaligned, host memory, past an allocation, freed, null, past shared or local
/// memory.
[[nodiscard]] Fault access_fault(const Warp& warp, LaneMask lanes, const std::uint64_t* addresses,
                                 std::uint32_t size, AccessKind kind, AccessSpace space, Site site);
[[nodiscard]] Fault trap_fault(const Warp& warp, LaneMask lanes, Trap reason, Site site);
/// A call of something that is no function.
[[nodiscard]] Fault call_fault(const Warp& warp, LaneMask lanes, std::uint64_t handle, Site site);
[[nodiscard]] Fault barrier_fault(const Warp& warp, LaneMask lanes, std::uint32_t id,
                                  std::uint32_t threads, std::string_view what, Site site);
/// A barrier.cluster that is used wrongly.
[[nodiscard]] Fault cluster_fault(const Warp& warp, LaneMask lanes, std::string_view what,
                                  Site site);
/// An access to what must be shared memory of the block, at a generic address.
[[nodiscard]] Fault window_fault(const Warp& warp, unsigned lane, std::uint64_t address,
                                 std::uint32_t size, AccessKind kind, Site site);
/// A bulk copy of so many bytes.
[[nodiscard]] Fault bulk_size_fault(const Warp& warp, unsigned lane, std::uint64_t bytes,
                                    Site site);
/// A barrier in shared memory, at an address of a block's window.
[[nodiscard]] Fault mbarrier_fault(const Warp& warp, LaneMask lanes, std::uint64_t address,
                                   std::string_view what, std::string_view hint, Site site);
/// The first lines are those that CUDA prints, one a thread.
[[nodiscard]] Fault assert_fault(const Warp& warp, LaneMask lanes, std::string_view message,
                                 std::string_view file, std::uint32_t line,
                                 std::string_view function);
/// free in device code of an address that is no block of its heap; `result` says why not.
[[nodiscard]] Fault heap_fault(const Warp& warp, LaneMask lanes, std::uint64_t address,
                               FreeResult result, Site site);
/// No warp of the block can go on: which waits where.
struct WaitingWarp {
  const Warp* warp = nullptr;
  const Waiting* waiting = nullptr;
};
[[nodiscard]] Fault deadlock_fault(const std::vector<WaitingWarp>& warps);

} // namespace gantry::simt::exec
