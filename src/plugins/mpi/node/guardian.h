// What a node's process is guarded by: its parent, which does nothing else. A launcher knows the
// parent alone, so that a node that is killed is told of by name, and where the launcher allows it
// the rest of the job goes on.
#pragma once

namespace gantry::mpi {

/// Goes on in a child of this process, and returns there. This process waits for its end, hands on
/// signals that ask it to end, and ends like it. Before there are threads.
void become_guarded();

} // namespace gantry::mpi
