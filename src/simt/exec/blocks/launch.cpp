#include "simt/exec/blocks/launch.h"

#include <utility>

namespace gantry::simt::exec {

void Launch::fail(Fault why) {
  const std::lock_guard lock(fault_mutex);
  if (!fault) {
    fault = std::move(why);
    failed = true;
  }
}

} // namespace gantry::simt::exec
