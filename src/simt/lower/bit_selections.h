// Keeps LLVM from a mistake in its instructions for AVX-512.
//
// (a & C) | (b & ~C) becomes vpternlog with C in memory, and a selection between that and a, lane
// by lane, the same instruction under a mask. Two patterns of X86InstrAVX512.td for that, in which
// the operands change their places in a circle, have each other's table (LLVM 19 to 22 at least):
// the instruction selects by b. Constants that LLVM does not see do not come to these patterns.
#pragma once

#include <llvm/IR/Function.h>

namespace gantry::simt::lower {

/// To be run last: what simplifies would bring the constants back.
void hide_bit_selections(llvm::Function& function);

} // namespace gantry::simt::lower
