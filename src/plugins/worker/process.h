// Starts libexec/gantry-worker in such a way that nothing in the program sees another process.
//
// The worker is a child of a child that ends at once: the program gets no SIGCHLD, its wait() finds
// nothing, and nobody has to bury the worker. It is in a process group of its own, so that signals
// from the terminal are the program's alone. Of the program's descriptors it has standard input,
// output and error, and four that it is told of; the program keeps one, the end of a pipe that
// closes when it begins another program.
//
// Programs have their libraries and stacks at high addresses and themselves above 0x550000000000.
// The worker's executable is linked at an address of its own and its libraries are put below,
// at 0x2aaaaaaab000 and up (personality(2), ADDR_COMPAT_LAYOUT), so that nothing is at the same
// address in both. Where a program has its libraries there, because its stack is without limit, it
// is the other way round.
//
// A worker of a foreign instruction set is the child of a worker's executable of the host's, which
// is its guardian (server/guardian.h). QEMU puts its libraries and images at 0x4000000000 and up.
#pragma once

#include "plugins/worker/protocol.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::worker {

/// The command that a worker is started by, without the words about this program: its executable,
/// relative to this plugin's library, and behind it an emulator's command if it needs one. The
/// error is a sentence that says what is missing.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string> worker_command();

struct ProcessFiles {
  int control; ///< holds `Control`
  int memory;
};

/// The program's end of the pipe that tells a worker that the program has begun another one.
/// Programs close descriptors that they do not know, so it may be something else's by now.
struct LifeLine {
  int descriptor = -1;
  std::uint64_t device = 0; ///< the two: of the pipe
  std::uint64_t inode = 0;

  /// Closes it if it is still the pipe.
  void close() const;
};

/// Starts a worker and returns when it is ready. `threads` as DeviceOptions::threads; `processors`
/// are those that it may use, the calling thread's if there are none. The error is a sentence.
[[nodiscard]] tl::expected<LifeLine, std::string>
start_process(const ProcessFiles& files, Control& control, std::uint32_t threads,
              std::span<const unsigned long> processors);

} // namespace gantry::worker
