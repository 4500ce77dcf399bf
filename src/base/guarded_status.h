// How gantry-node tells `gantry mpirun` of the end of processes that it guards: by a line with the
// program's status, and by one for a node that the job cannot start without.
#pragma once

namespace gantry {

/// What is added to a signal's number for the status of a process that it has ended, as shells do.
inline constexpr int kSignalled = 128;

/// Behind the status: a signal that asks the program to end came first.
inline constexpr const char* kAsked = ", asked";

/// A line: a node has failed before MPI had started, in which all processes wait for each other.
inline constexpr const char* kCannotStart =
    "gantry-node: the job had not started, and cannot start without this node";

} // namespace gantry
