#include "plugins/worker/kind.h"

namespace gantry::worker {

const ForeignCpu* foreign_cpu() {
  static constexpr const ForeignCpu* kCpu = find_foreign_cpu(GANTRY_WORKER_CPU);
  return kCpu;
}

} // namespace gantry::worker
