// Kinds of schedules, as Clang numbers them.
#pragma once

#include "device/gpu/team.h"
#include "device/gpu/types.h"
#include "device/normalised_loops.h"

namespace gantry::device {

enum Schedule : int32_t {
  kStaticChunked = 33,
  kStatic = 34,
  kDynamic = 35,
  kGuided = 36,
  kRuntime = 37,
  kAuto = 38,
  kStaticBalancedChunked = 45,
  kOrderedStaticChunked = 65,
  kOrderedStatic = 66,
  kOrderedDynamic = 67,
  kOrderedGuided = 68,
  kOrderedRuntime = 69,
  kOrderedAuto = 70,
  kDistributeChunked = 91,
  kDistribute = 92,
};

/// The bits above say whether chunks must be given out in order.
inline constexpr int32_t kScheduleMask = (1 << 29) - 1;

/// The calling thread among those of its team, and its team among those of the league.
inline Part this_thread() {
  return {thread_number(), thread_count()};
}
inline Part this_team() {
  return {machine::block_in_grid(), machine::grid_size()};
}

} // namespace gantry::device
