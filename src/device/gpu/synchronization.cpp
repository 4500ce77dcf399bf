// Barriers, and constructs that one thread at a time or one thread alone executes (OpenMP 5.2,
// chapters 10.5, 11.1 and 15).
#include "device/gpu/locks.h"
#include "device/gpu/team.h"

namespace gantry::device {
namespace {

/// The list of the thread that was alone in a single construct, for the others to copy from.
using List = void*;
GANTRY_SHARED List published;

} // namespace

extern "C" {

void __kmpc_barrier(Ident*, int32_t) {
  sync_team();
}

void __kmpc_flush(Ident*) {
  machine::fence_device();
}

void __kmpc_syncwarp(uint64_t mask) {
  machine::sync_warp(mask);
}

uint64_t __kmpc_warp_active_thread_mask() {
  return machine::active_lanes();
}

int32_t __kmpc_master(Ident*, int32_t) {
  return thread_number() == 0 ? 1 : 0;
}
void __kmpc_end_master(Ident*, int32_t) {}

int32_t __kmpc_masked(Ident*, int32_t, int32_t filter) {
  return static_cast<int32_t>(thread_number()) == filter ? 1 : 0;
}
void __kmpc_end_masked(Ident*, int32_t) {}

int32_t __kmpc_single(Ident*, int32_t) {
  return thread_number() == 0 ? 1 : 0;
}
void __kmpc_end_single(Ident*, int32_t) {}

/// Copies what the thread with `did` has to the others of the team, and is a barrier.
void __kmpc_copyprivate(Ident*, int32_t, uint64_t, void* list, void (*copy)(void*, void*),
                        int32_t did) {
  if (did != 0) {
    published = list;
  }
  sync_team();
  if (did == 0) {
    copy(list, published);
  }
  sync_team();
}

void __kmpc_critical(Ident*, int32_t, uint32_t* name) {
  lock(*name);
}
void __kmpc_critical_with_hint(Ident*, int32_t, uint32_t* name, uint32_t) {
  lock(*name);
}
void __kmpc_end_critical(Ident*, int32_t, uint32_t* name) {
  unlock(*name);
}

/// Cancellation is not activated on devices (cancel-var is false).
GANTRY_ANSWER(int32_t, __kmpc_cancel, (Ident*, int32_t, int32_t), 0)
GANTRY_ANSWER(int32_t, __kmpc_cancellationpoint, (Ident*, int32_t, int32_t), 0)

} // extern "C"

} // namespace gantry::device
