// A device of the cpu plugin. Devices differ in their number and in how memory is mapped.
#pragma once

#include "plugins/cpu/functions.h"

#include <cstdint>

#include <gantry/plugin.h>

/// The opaque device of gantry/plugin.h. Immutable while it is open, except for `functions`.
struct gantry_device {
  std::int32_t openmp_number = -1;
  bool separate = false;   ///< corresponding storage is never the original storage
  bool full_teams = false; ///< teams have as many threads as constructs name; see full_teams.h
  gantry_function_check* function_check = nullptr; ///< the runtime's; null: none
  gantry::cpu::Functions functions;
};
