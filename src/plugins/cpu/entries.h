// The plugin's functions; see gantry/plugin.h.
#pragma once

#include "plugins/entry.h"

#define GANTRY_CPU_PLUGIN(X) GANTRY_ENTRIES(X) X(launch_hint)

namespace gantry::cpu {

/// The table of the plugin that is linked in.
[[nodiscard]] const gantry_plugin& plugin();

namespace entries {
GANTRY_CPU_PLUGIN(GANTRY_DECLARE_ENTRY)
}

} // namespace gantry::cpu
