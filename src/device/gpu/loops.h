// Kinds of schedules, as Clang numbers them.
#pragma once

#include "types.h"

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

} // namespace gantry::device
