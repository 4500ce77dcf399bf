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

} // namespace gantry::device
