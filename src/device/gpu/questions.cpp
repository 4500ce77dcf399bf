// What the linker wrapper answers where it can (src/link/runtime_questions.h). In a file of its
// own, so that calls stay calls until then.
#include "thread_state.h"

namespace gantry::device {

extern "C" uint8_t __gantry_kernel_mode() {
  return team.mode;
}

extern "C" bool __gantry_may_have_thread_states() {
  return true;
}

} // namespace gantry::device
