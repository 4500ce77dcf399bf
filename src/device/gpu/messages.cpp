#include "device/gpu/messages.h"

#include "device/gpu/machine.h"

namespace gantry::device {

void fail(const char* message) {
  struct {
    const char* message;
    uint32_t block, thread;
  } arguments = {message, machine::block_in_grid(), machine::thread_in_block()};
  machine::print("gantry: error: in device code: %s (team %u, thread %u)\n", &arguments);
  machine::trap();
}

void fail_in_lockstep(const char* what) {
  struct {
    const char* what;
    uint32_t block, thread;
  } arguments = {what, machine::block_in_grid(), machine::thread_in_block()};
  if (machine::lane() == static_cast<uint32_t>(__builtin_ctzll(machine::active_lanes()))) {
    machine::print(
        "gantry: error: in device code: threads of one wave wait for each other at %s, and "
        "this GPU runs the lanes of a wave in lockstep; use atomic or critical, or at most "
        "one thread of each wave (team %u, thread %u)\n",
        &arguments);
  }
  machine::trap();
}

} // namespace gantry::device
