// Loops that do nothing but wait for a barrier in shared memory.
//
// mbarrier.try_wait gives up after a while, so code calls it in a loop. If the loop does nothing
// else and cannot end before the phase is over, only an arrival helps its threads, and a block of
// which all threads are in such loops is dead. A loop that looks at memory as well, counts its
// rounds or reads a clock may end without the barrier.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace gantry::simt::lower {

/// Sets AsyncOperation::only_waits of the waits in a function in its one-lane form, for both
/// engines. The loops are those of a simplified copy, because variables hide what a loop does.
void find_waiting_loops(llvm::Function& function, llvm::TargetMachine& machine);

} // namespace gantry::simt::lower
