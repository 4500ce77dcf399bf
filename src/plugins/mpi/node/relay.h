// The relay of a program that has started a job of its own (relay.h of the plugin): a process of
// that job, which is the program to the nodes, and hands on.
#pragma once

#include "base/result.h"

namespace gantry::mpi {

/// Connects to the program that `socket` is the name of, and hands on until the program has come
/// to its end.
[[nodiscard]] Status run_relay(const char* socket);

} // namespace gantry::mpi
