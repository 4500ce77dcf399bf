// The plugin's functions; see gantry/plugin.h.
#pragma once

#include "plugins/entry.h"

#define GANTRY_HSA_PLUGIN(X)                                                                       \
  GANTRY_ENTRIES(X)                                                                                \
  GANTRY_QUEUE_ENTRIES(X)                                                                          \
  X(use_host_memory)                                                                               \
  X(get_fault) X(rank_image) X(copy_between) X(queue_copy_between) X(queue_launch_data)

namespace gantry::hsa::entries {
GANTRY_HSA_PLUGIN(GANTRY_DECLARE_ENTRY)
}
