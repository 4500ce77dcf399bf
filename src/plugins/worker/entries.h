// The plugin's functions; see gantry/plugin.h.
#pragma once

#include "plugins/entry.h"

#define GANTRY_WORKER_PLUGIN(X)                                                                    \
  GANTRY_ENTRIES(X)                                                                                \
  GANTRY_QUEUE_ENTRIES(X) X(get_fault) X(copy_between) X(launch_hint) X(find_host_view)

namespace gantry::worker::entries {
GANTRY_WORKER_PLUGIN(GANTRY_DECLARE_ENTRY)
}
