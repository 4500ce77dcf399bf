// Loops that the lanes of a warp run one after the other.
//
// A loop whose lanes leave it in different iterations, each of which reads memory in 32 places,
// costs a warp more than its lanes one by one: a gather takes as long for a few lanes as for all,
// and the lines of 32 places are in no cache for long, where one lane reads on. So such a loop
// becomes a function for one lane, in code of scalars, which is called for each lane in turn.
//
// Lanes may run it in any order and to its end, because nothing in it waits for another thread. Not
// so in GCC's code, whose lanes rely on changing the same memory together.
#pragma once

#include "simt/exec/code/code.h"

#include <llvm/IR/Function.h>
#include <vector>

namespace gantry::simt::lower {

/// Moves the loops of the function for which that is quicker into functions of their own. Their
/// arguments are the values from outside; they return, as one structure, what is used behind the
/// loop. Loops must be simplified and in LCSSA form. `local_addresses` as for DivergenceAnalysis.
[[nodiscard]] std::vector<llvm::Function*>
outline_lane_loops(llvm::Function& function, exec::Geometry geometry, bool local_addresses);

/// The lane loop that the instruction calls; null for others.
[[nodiscard]] const llvm::Function* called_lane_loop(const llvm::Instruction& instruction);

} // namespace gantry::simt::lower
