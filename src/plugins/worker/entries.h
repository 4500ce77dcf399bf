// The plugin's functions; see gantry/plugin.h.
#pragma once

#include "plugins/entry.h"

namespace gantry::worker::entries {

GANTRY_ENTRY(accepts_image)
GANTRY_ENTRY(open_device)
GANTRY_ENTRY(close_device)
GANTRY_ENTRY(get_properties)
GANTRY_ENTRY(get_fault)
GANTRY_ENTRY(set_function_map)
GANTRY_ENTRY(create_image)
GANTRY_ENTRY(load_image)
GANTRY_ENTRY(destroy_image)
GANTRY_ENTRY(find_symbols)
GANTRY_ENTRY(allocate)
GANTRY_ENTRY(release)
GANTRY_ENTRY(copy_to_device)
GANTRY_ENTRY(copy_to_host)
GANTRY_ENTRY(copy_between)
GANTRY_ENTRY(launch)
GANTRY_ENTRY(launch_hint)
GANTRY_ENTRY(create_queue)
GANTRY_ENTRY(destroy_queue)
GANTRY_ENTRY(queue_copy_to_device)
GANTRY_ENTRY(queue_copy_to_host)
GANTRY_ENTRY(queue_launch)
GANTRY_ENTRY(synchronize_queue)
GANTRY_ENTRY(query_queue)
GANTRY_ENTRY(record_times)
GANTRY_ENTRY(read_times)

} // namespace gantry::worker::entries
