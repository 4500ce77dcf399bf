// A worker lives as long as its program, and no longer; the program sees its end.
#pragma once

#include "plugins/worker/protocol.h"

#include <string>

namespace gantry::worker {

/// The system marks `control.life` when the calling thread, the process's first, ends.
void register_life(Control& control);

/// Tells the program, which waits for the worker's start, why there is none.
void fail_start(Control& control, const std::string& why);

/// Returns when the program has ended or begun another program, or `process` has, which is a
/// process's descriptor or -1. `program` and `alive` are the ones of main.cpp. `look` is called
/// every 20 milliseconds, unless it is null.
void wait_for_end(const Control& control, int program, int alive, int process, void (*look)());

} // namespace gantry::worker
