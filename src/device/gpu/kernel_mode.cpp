// In a file of its own, so that calls stay calls until the linker wrapper has seen them.
#include "team.h"

namespace gantry::device {

extern "C" uint8_t __gantry_kernel_mode() {
  return team.mode;
}

} // namespace gantry::device
