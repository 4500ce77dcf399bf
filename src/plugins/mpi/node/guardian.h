// What a node's process is guarded by: its parent, which does nothing else. A launcher knows the
// parent alone, so that a node that is killed is told of by name, and one that was stopped for too
// long is ended.
#pragma once

#include <cstdint>

namespace gantry::mpi {

/// Goes on in a child of this process, and returns there. This process waits for its end, hands on
/// signals that ask it to end, and ends like it; it ends with the process that has started it.
/// Before there are threads. Of a program, with a word: says behind it on stderr how the program
/// has ended, for `gantry mpirun`, as some launchers do not.
void become_guarded(const char* word = nullptr);

/// That this process runs, at `now` of the monotonic clock: from now on the guardian ends it if it
/// does not say so again within `patience` nanoseconds; 0: it does not. Any thread.
void show_life(std::uint64_t now, std::uint64_t patience);

} // namespace gantry::mpi
