// Local variables of code for GPUs that other threads are to read.
#pragma once

#include <llvm/IR/Instructions.h>

namespace gantry::pass {

/// Moves a variable to where all threads of a team can read it: takes memory for it, before `begin`
/// if it is one of the function's whole run, else where it is, and gives it back before each of
/// `ends` that can only be reached from there.
void share(llvm::AllocaInst& variable, llvm::Instruction& begin,
           llvm::ArrayRef<llvm::Instruction*> ends);

/// The function's return instructions.
[[nodiscard]] llvm::SmallVector<llvm::Instruction*> returns_of(llvm::Function& function);

} // namespace gantry::pass
