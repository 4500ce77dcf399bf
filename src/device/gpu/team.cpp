#include "device/gpu/team.h"

#include "device/gpu/messages.h"
#include "device/gpu/thread_state.h"

namespace gantry::device {

GANTRY_SHARED Team team;
GANTRY_SHARED uint8_t region_depth[machine::kMaxBlockSize];

namespace {

/// What region_depth can hold.
constexpr uint32_t kDeepest = 255;

// A barrier for teams that the machine's barriers cannot count: the
// lanes of each warp synchronise, then one lane of each warp by a counter.
/// How many warps have arrived, and above that the round.
GANTRY_SHARED uint32_t barrier_state;
constexpr uint32_t kRoundShift = 16;

GANTRY_NOINLINE void sync_part(uint32_t threads) {
  const machine::LaneMask mask = lanes_of_team();
  const uint32_t warps = (threads + machine::warp_size() - 1) / machine::warp_size();
  machine::sync_warp(mask);
  if (warps == 1) {
    return;
  }
  if (machine::lane() == 0) {
    machine::fence_block();
    const uint32_t before = __atomic_fetch_add(&barrier_state, 1U, __ATOMIC_RELAXED);
    if ((before & ((1U << kRoundShift) - 1)) + 1 == warps) {
      machine::fence_block();
      __atomic_fetch_add(&barrier_state, (1U << kRoundShift) - warps, __ATOMIC_RELAXED);
    } else {
      while (__atomic_load_n(&barrier_state, __ATOMIC_RELAXED) >> kRoundShift ==
             before >> kRoundShift) {
        machine::pause(20);
      }
    }
    machine::fence_block();
  }
  machine::sync_warp(mask);
}

} // namespace

void start_barriers() {
  barrier_state = 0;
}

extern "C" uint32_t __gantry_region_depth() {
  return stored_depth();
}

void enter_region(uint32_t outer) {
  if (outer == kDeepest) {
    fail("more than 255 parallel regions are nested");
  }
  set_depth(outer + 1);
}

void leave_region(uint32_t outer) {
  leave_environment();
  set_depth(outer);
}

void sync_team() {
  const uint32_t level = depth();
  if (level == 0 ? !is_spmd() : !in_active_region()) {
    machine::fence_block();
    return;
  }
  if (is_spmd() && (level == 0 || team.size == team.available)) {
    machine::sync_block();
  } else if (!machine::sync_first(kTeamBarrier, team.size)) {
    sync_part(team.size);
  }
}

} // namespace gantry::device
