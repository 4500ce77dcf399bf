// What stands beside an emulated worker: a process of the host's own instruction set that starts
// the emulator and sees to its end. Under QEMU's user mode a process cannot have the system mark
// memory when it ends, nor be ended with its parent.
#pragma once

#include "plugins/worker/protocol.h"

namespace gantry::worker {

/// Runs `command`, the emulator with its arguments, and ends when it or the program does, the
/// emulator first. `program` and `alive` are the ones of main.cpp.
[[noreturn]] void guard(Control& control, char** command, int program, int alive);

} // namespace gantry::worker
