// Which of its plugins this code is in: there is one for workers of the host's own instruction set
// and one for each foreign one.
#pragma once

#include "base/foreign_cpu.h"

namespace gantry::worker {

/// The instruction set of this plugin's workers; null if it is the host's.
[[nodiscard]] const ForeignCpu* foreign_cpu();

} // namespace gantry::worker
