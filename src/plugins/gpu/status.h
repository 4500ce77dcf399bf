// Statuses of steps that are taken one after the other.
#pragma once

#include <cstdint>

#include <gantry/plugin.h>

namespace gantry::gpu {

/// For steps that are taken whatever became of those before them: `status` becomes that of the last
/// one that fails, whose message is the thread's.
inline void keep_failure(std::int32_t& status, std::int32_t step) {
  if (step != GANTRY_SUCCESS) {
    status = step;
  }
}

} // namespace gantry::gpu
