// Makes NaN results of floating-point instructions canonical (0x7fffffff for f32), as on a GPU. A
// processor keeps the payload of an operand or makes another NaN.
//
// NaNs differ only in their bits, so they are replaced where the result of arithmetic is stored or
// used as bits, and left alone while a value stays in arithmetic.
#pragma once

#include <llvm/IR/Function.h>

namespace gantry::simt::lower {

/// To be run on the one-lane form after all simplifications.
void make_nans_canonical(llvm::Function& function);

} // namespace gantry::simt::lower
