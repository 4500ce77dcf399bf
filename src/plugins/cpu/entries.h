// The plugin's functions; see gantry/plugin.h.
#pragma once

#include "plugins/entry.h"

namespace gantry::cpu {

/// The table of the plugin that is linked in.
[[nodiscard]] const gantry_plugin& plugin();

namespace entries {

GANTRY_ENTRY(accepts_image)
GANTRY_ENTRY(open_device)
GANTRY_ENTRY(close_device)
GANTRY_ENTRY(get_properties)
GANTRY_ENTRY(set_function_map)
GANTRY_ENTRY(create_image)
GANTRY_ENTRY(load_image)
GANTRY_ENTRY(destroy_image)
GANTRY_ENTRY(find_symbols)
GANTRY_ENTRY(allocate)
GANTRY_ENTRY(release)
GANTRY_ENTRY(copy_to_device)
GANTRY_ENTRY(copy_to_host)
GANTRY_ENTRY(launch)
GANTRY_ENTRY(launch_hint)

} // namespace entries
} // namespace gantry::cpu
