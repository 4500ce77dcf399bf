// A block (CTA) being executed, by one host thread: its warps, its barriers, its shared memory.
//
// The warps of a block take turns on the host thread, each on a stack of its own (fiber.h), so
// nothing in a Block needs a lock. A warp that cannot go on calls suspend(), and the block runs
// another.
#pragma once

#include "simt/exec/block_checks.h"
#include "simt/exec/code.h"
#include "simt/exec/fault.h"
#include "simt/exec/machine.h"
#include "simt/exec/warp.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gantry::simt::exec {

/// A grid being executed; shared by the host threads that run its blocks.
struct Launch {
  LoadedProgram::State* program = nullptr;
  std::uint32_t kernel = 0; ///< index in Program::functions
  LaunchShape shape;
  Geometry geometry = Geometry::kGeneral;
  const std::byte* parameters = nullptr;
  std::uint64_t grid_id = 0;

  /// Lanes of some warp wait in a loop for others of the same warp.
  std::atomic<bool> lanes_wait_in_loops = false;

  /// The first fault; set once. Blocks end when they see `failed`.
  std::atomic<bool> failed = false;
  std::mutex fault_mutex;
  std::optional<Fault> fault;
};

/// How a barrier's reduction (bar.red) combines the threads' predicates.
enum class BarrierReduction : std::uint32_t { kNone, kPopc, kAnd, kOr };

/// An arrival at a barrier that the arriving lanes wait for: it has passed once the barrier's phase
/// is beyond it.
/// By value: AddressSanitizer does not follow what lies on the stack of a warp that waits.
struct BarrierTicket {
  std::uint32_t id = 0;
  std::uint32_t phase = 0;
};

/// Why a warp waits, for the report of a deadlock.
struct Waiting {
  enum class For : std::uint8_t { kNothing, kBarrier, kLanes, kYield, kSleep };
  For what = For::kNothing;
  LaneMask active = 0;                ///< the lanes that wait
  LaneMask lanes = 0;                 ///< kLanes: those waited for
  std::uint32_t id = 0, threads = 0;  ///< kBarrier
  std::optional<std::uint32_t> phase; ///< kBarrier: not to be resumed before the phase is over
  Site site = 0;
};

struct Block {
  Launch* launch = nullptr;
  std::uint32_t index[3] = {0, 0, 0}; ///< %ctaid

  /// Counts the lanes of `active` in at barrier `id` (0 … 15) for `threads` threads (a multiple of
  /// 32; 0: as many as the block still has). `waits` is false for bar.arrive. Faults if the id or
  /// the count is not valid. Never suspends.
  BarrierTicket arrive(Warp& warp, LaneMask active, std::uint32_t id, std::uint32_t threads,
                       BarrierReduction reduction, LaneMask predicates, bool waits, Site site);
  [[nodiscard]] bool passed(BarrierTicket ticket) const {
    return barriers[ticket.id].phase != ticket.phase;
  }
  /// The reduction's result, for a ticket that has passed; zero without a reduction. To be called
  /// once for each arrival that waits: the barrier may pass again before everybody has asked.
  [[nodiscard]] std::uint32_t take_result(BarrierTicket ticket);

  /// Lets other warps run; returns when it is this one's turn again, which it may be without what
  /// it waits for having come. Must be called on the warp's own stack. Does not return once the
  /// launch has failed. `why` is for the report of a deadlock: kYield and kSleep are no reasons for
  /// one.
  void suspend(Warp& warp, const Waiting& why);

  /// The lanes have ended (exit, or the kernel's end).
  void exit_lanes(Warp& warp, LaneMask lanes);

  /// Ends the launch with a fault, unless it has failed already; does not return.
  [[noreturn]] void fail(Warp& warp, Fault fault);

  struct Barrier {
    std::uint32_t phase = 0;
    std::uint32_t expected = 0; ///< threads of this phase; 0: all
    bool open = false;          ///< somebody has arrived in this phase
    BarrierReduction reduction = BarrierReduction::kNone;
    std::uint32_t come = 0;                ///< warps of which all lanes that are alive have come
    std::uint32_t count = 0;               ///< predicates that are true
    std::uint32_t counted = 0;             ///< threads that gave one
    std::uint32_t waiting = 0;             ///< arrivals of this phase that wait
    std::array<LaneMask, 32> arrived = {}; ///< by warp
    /// Of a phase that has passed: the result, and how many that wait have not taken it.
    struct Result {
      std::uint32_t phase = 0, value = 0, wanted = 0;
    };
    std::vector<Result> results;
  };
  std::array<Barrier, 16> barriers;
  std::uint32_t warps = 0;
  std::uint32_t warps_alive = 0;       ///< of which some lane has not exited
  std::array<LaneMask, 32> alive = {}; ///< by warp: lanes that have not exited

  struct Scheduler;
  Scheduler* scheduler = nullptr;
  std::unique_ptr<BlockChecks> checks; ///< null unless GANTRY_SIMT_CHECK asks for more than memory

  /// Counts what brings the block forward (arrivals, exits, exchanges): if all its warps have had a
  /// turn and this is what it was, and none is only looping, nothing can go on.
  std::uint64_t progress = 0;

  /// Passes the barrier if an arrival or an exit has completed it. A warp counts as 32 threads,
  /// once all its lanes that are alive have come.
  void settle(Barrier& barrier);
};

} // namespace gantry::simt::exec
