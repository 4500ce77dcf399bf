// The end of a process that MPICH's launcher, hydra, has started. MPICH 4.0 over UCX's TCP waits
// for ever in MPI_Finalize in most jobs of three processes and more: those that are done with their
// connections wait for the launcher, and no longer answer those that are not. So what MPI_Finalize
// says to the launcher at its end is said without it.
#pragma once

namespace gantry::mpi {

/// Tells the launcher that the process is done with MPI, which it does not use again; false if the
/// process was not started by hydra, or that does not answer. By the protocol PMI 1.1, which is one
/// of lines, over the descriptor that PMI_FD names.
[[nodiscard]] bool finalise_by_hydra();

} // namespace gantry::mpi
