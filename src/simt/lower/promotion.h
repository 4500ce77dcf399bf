// Which variables of a warp's code become registers.
#pragma once

#include <llvm/IR/Function.h>

namespace gantry::simt::lower {

/// Makes values of the variables in a warp's frame, as LLVM's mem2reg does, but not of all where
/// there are many. A vector of 32 lanes that lives across blocks is a phi behind each block that
/// may be skipped, so that all of them together grow with the square of the function's size, and
/// register allocation with them. Of large functions' vectors, those that are used most for each
/// block that they live in are promoted, up to a number of phis that grows with the function; the
/// others stay in memory.
void promote_variables(llvm::Function& function);

} // namespace gantry::simt::lower
