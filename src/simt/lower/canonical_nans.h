// NaN results of floating-point instructions are one NaN on a GPU (0x7fffffff for f32); a processor
// hands on the payload of an operand, or makes a NaN of its own.
//
// Only bits can tell NaNs apart, so nothing needs to be done while a value stays in arithmetic:
// where the result of arithmetic is stored, or looked at as bits, a NaN is replaced there.
#pragma once

#include <llvm/IR/Function.h>

namespace gantry::simt::lower {

/// To be run on the one-lane form, behind everything that simplifies it.
void make_nans_canonical(llvm::Function& function);

} // namespace gantry::simt::lower
