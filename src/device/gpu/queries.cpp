// Queries that the linker wrapper folds where it can (src/link/runtime_queries.h). They have a file
// of their own, so that no compiler inlines the calls before.
#include "device/gpu/thread_state.h"

namespace gantry::device {

extern "C" uint8_t __gantry_kernel_mode() {
  return team.mode;
}

extern "C" bool __gantry_may_have_thread_states() {
  return true;
}

extern "C" bool __gantry_bodies_take_lists() {
  return false;
}

} // namespace gantry::device
