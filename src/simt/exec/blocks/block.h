// A block (CTA) being executed, by one host thread: its barriers, its shared memory, and which of
// its lanes have not exited. Nothing in a Block needs a lock, because its warps take turns on that
// thread (engine/scheduler.h).
#pragma once

#include "simt/exec/blocks/block_watch.h"
#include "simt/exec/blocks/launch.h"
#include "simt/exec/warp/warp.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace gantry::simt::exec {

struct Cluster;
struct Scheduler;

/// How a barrier's reduction (bar.red) combines the threads' predicates.
enum class BarrierReduction : std::uint32_t { kNone, kPopc, kAnd, kOr };

/// Lanes of a warp that arrive at a barrier of the block.
struct Arrival {
  LaneMask lanes = 0;
  std::uint32_t id = 0;      ///< 0 … 15
  std::uint32_t threads = 0; ///< a multiple of 32; 0: as many as the block still has
  BarrierReduction reduction = BarrierReduction::kNone;
  LaneMask predicates = 0;
  bool waits = true; ///< false of bar.arrive
  Site site = 0;
};

/// An arrival at a barrier that the arriving lanes wait for: the barrier's phase at that time.
/// By value, because AddressSanitizer does not follow what lies on the stack of a warp that waits.
struct BarrierTicket {
  std::uint32_t id = 0;
  std::uint32_t phase = 0;
};

/// Why a warp waits, for the report of a deadlock. At kMbarrier it does nothing but ask again.
struct Waiting {
  enum class For : std::uint8_t { kNothing, kBarrier, kMbarrier, kCluster, kLanes, kYield, kSleep };
  For what = For::kNothing;
  LaneMask active = 0;               ///< the lanes that wait
  LaneMask lanes = 0;                ///< kLanes: the lanes that they wait for
  std::uint32_t id = 0, threads = 0; ///< kBarrier
  std::uint64_t address = 0;         ///< kMbarrier: where it is
  std::optional<std::uint32_t>
      phase; ///< kBarrier, kCluster: not to be resumed before the phase is over
  Site site = 0;
};

struct Block {
  Launch* launch = nullptr;
  std::uint32_t index[3] = {0, 0, 0}; ///< %ctaid

  /// What is wrong with the barrier's number or the count of an arrival; empty if nothing is.
  [[nodiscard]] std::string_view wrong_with(const Arrival& arrival) const;
  /// Counts the lanes as arrived. wrong_with() must have found nothing.
  BarrierTicket arrive(const Warp& warp, const Arrival& arrival);
  /// Whether the phase of the barrier is over.
  [[nodiscard]] bool is_complete(BarrierTicket ticket) const {
    return barriers[ticket.id].phase != ticket.phase;
  }
  /// The reduction's result, once the ticket's phase is over; zero without a reduction. To be
  /// called once for each arrival that waits: the next phase may be over before everybody has
  /// asked.
  [[nodiscard]] std::uint32_t take_result(BarrierTicket ticket);

  /// The lanes have ended (exit, or the kernel's end).
  void exit_lanes(Warp& warp, LaneMask lanes);

  struct Barrier {
    std::uint32_t phase = 0;
    std::uint32_t expected = 0; ///< threads of this phase; 0: all
    bool open = false;          ///< somebody has arrived in this phase
    BarrierReduction reduction = BarrierReduction::kNone;
    std::uint32_t warps_arrived = 0;       ///< warps of which all lanes that are alive have
    std::uint32_t count = 0;               ///< predicates that are true
    std::uint32_t counted = 0;             ///< threads that gave one
    std::uint32_t waiting = 0;             ///< arrivals of this phase that wait
    std::array<LaneMask, 32> arrived = {}; ///< by warp
    /// Of a phase that is over: the result, and how many that wait have not taken it.
    struct Result {
      std::uint32_t phase = 0, value = 0, wanted = 0;
    };
    std::vector<Result> results;
  };
  std::array<Barrier, 16> barriers;
  std::uint64_t shared = 0; ///< address of its shared memory
  std::uint32_t shared_size = 0;
  std::vector<std::uint32_t> mbarriers; ///< offsets of the barriers that its shared memory holds
  std::uint32_t warps = 0;
  std::uint32_t warps_alive = 0;       ///< of which some lane has not exited
  std::array<LaneMask, 32> alive = {}; ///< by warp: lanes that have not exited

  Cluster* cluster = nullptr; ///< null unless the launch has clusters
  std::uint32_t rank = 0;     ///< in it

  Scheduler* scheduler = nullptr;    ///< that runs it
  std::unique_ptr<BlockWatch> watch; ///< null unless GANTRY_SIMT_CHECK asks for more than memory

  /// Counts arrivals, exits and exchanges. The block is dead if all its warps have had a turn, this
  /// has not changed, and none of them only loops.
  std::uint64_t progress = 0;

  /// Ends the barrier's phase if an arrival or an exit has completed it. A warp counts as 32
  /// threads, once all its lanes that are alive have arrived.
  void settle(Barrier& barrier);
};

} // namespace gantry::simt::exec
