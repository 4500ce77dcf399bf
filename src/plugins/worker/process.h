// Starting libexec/gantry-worker, so that the program does not notice.
//
// The worker is a child of a child that ends at once: the program gets no SIGCHLD, its wait() finds
// nothing, and nobody has to bury the worker. It is in a session of its own, so that signals from
// the terminal are the program's alone. Of the program's descriptors it has standard input, output
// and error, and four that it is told of; the program keeps one, the end of a pipe that closes
// when it begins another program.
//
// Programs have their libraries and stacks at high addresses and themselves above 0x550000000000.
// The worker's executable is linked at an address of its own and its libraries are put below,
// at 0x2aaaaaaab000 and up (personality(2), ADDR_COMPAT_LAYOUT), so that nothing is at the same
// address in both. Where a program has its libraries there, because its stack is without limit, it
// is the other way round.
#pragma once

#include "plugins/worker/protocol.h"

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

namespace gantry::worker {

/// The worker's executable, relative to this plugin's library.
[[nodiscard]] std::string worker_executable();

struct ProcessFiles {
  int control; ///< holds `Control`
  int memory;
};

/// Starts a worker and returns when it is ready. `threads` as DeviceOptions::threads. The error is
/// a sentence.
[[nodiscard]] tl::expected<void, std::string>
start_process(const ProcessFiles& files, Control& control, std::uint32_t threads);

} // namespace gantry::worker
