// LLVM's passes around the widening: on the one-lane form before, on the code for a warp after.
#pragma once

#include "simt/exec/code/code.h"

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace gantry::simt::lower {

/// Turns variables into values, simplifies, and leaves the shape that DivergenceAnalysis and
/// WarpFunction take: reducible, loops in simplified and LCSSA form, no switches.
void simplify_scalar(llvm::Function& function, llvm::TargetMachine& machine);

/// Cleans up what WarpFunction has made; quick code stays as it is.
void optimize_warp(llvm::Function& function, llvm::TargetMachine& machine, exec::Tier tier);

} // namespace gantry::simt::lower
