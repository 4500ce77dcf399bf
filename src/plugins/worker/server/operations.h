// What a worker does for the program, by the functions of the cpu plugin.
#pragma once

#include "plugins/worker/protocol.h"

namespace gantry::worker {

/// Makes all changes of Control::changes that there are. Any thread.
void apply_changes(Control& control);

/// Serves a channel until the process ends.
[[noreturn]] void serve(Control& control, Channel& channel);

} // namespace gantry::worker
