// How gantry-node tells `gantry mpirun` of the end of a program that it guards: by a line with the
// program's status.
#pragma once

namespace gantry {

/// What is added to a signal's number for the status of a process that it has ended, as shells do.
inline constexpr int kSignalled = 128;

/// Behind the status: a signal that asks the program to end came first.
inline constexpr const char* kAsked = ", asked";

} // namespace gantry
