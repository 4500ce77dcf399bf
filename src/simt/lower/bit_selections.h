// Works around a mistake in LLVM's patterns for AVX-512 (LLVM 19 to 22 at least).
//
// LLVM makes vpternlog with C in memory of (a & C) | (b & ~C), and the same instruction under a
// mask of a selection between that and a, lane by lane. Two patterns of X86InstrAVX512.td that
// rotate the operands have their truth tables swapped, so that the instruction selects by b. Hiding
// the constant from LLVM avoids these patterns.
#pragma once

#include <llvm/IR/Function.h>

namespace gantry::simt::lower {

/// To be run last, because simplifications would bring the constants back.
void hide_bit_selections(llvm::Function& function);

} // namespace gantry::simt::lower
