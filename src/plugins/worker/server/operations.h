// What a worker does for the program, by the functions of the cpu plugin.
#pragma once

#include "plugins/worker/protocol.h"

#include <gantry/plugin.h>

namespace gantry::worker {

/// The file of the device's memory, for apply_changes(). Once, before it.
void use_memory(int descriptor);

/// Makes all changes of Control::changes that there are. Any thread. GANTRY_SUCCESS or an error,
/// kept; what could not be made stays there.
std::int32_t apply_changes(Control& control);

/// Serves a channel, for `device` of the cpu plugin, until the process ends.
[[noreturn]] void serve(gantry_device& device, Control& control, Channel& channel);

} // namespace gantry::worker
