// lastprivate variables of distribute loops whose iterations are shared out to a team's threads.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// In the kernels of `distribute parallel for`, all threads of a team execute what belongs to the
/// team. Clang gets the team's copy of a lastprivate variable from __kmpc_alloc_shared, which gives
/// each thread one of its own then: the parallel loop's last iteration writes one of them, and all
/// threads copy theirs to the original. Gives the team one copy, in its shared memory, which one
/// thread copies back. A variable with a constructor stays as it is. In the program without the
/// runtime.
void share_lastprivate_copies(llvm::Module& module);

} // namespace gantry::link
