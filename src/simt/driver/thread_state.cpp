#include "simt/driver/thread_state.h"

#include "simt/host/of_thread.h"

namespace gantry::simt::driver {

namespace {

constinit thread_local bool ending = false;

struct EndMark {
  ~EndMark() { ending = true; }
};

} // namespace

bool ThreadState::is_ending() {
  // Registers the destructor at the first call.
  thread_local const EndMark mark;
  return ending;
}

ThreadState& ThreadState::of_caller() {
  return of_thread<ThreadState>();
}

} // namespace gantry::simt::driver
