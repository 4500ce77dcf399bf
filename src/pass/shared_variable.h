// Moves local variables of GPU code to memory that other threads can read.
#pragma once

#include <llvm/IR/Instructions.h>

namespace gantry::pass {

/// Moves a variable to memory that all threads of a team can read. Allocates it before `begin` if
/// the variable lives as long as the function, else where it is declared, and frees it before each
/// of `ends` that is reached only from there.
void share(llvm::AllocaInst& variable, llvm::Instruction& begin,
           llvm::ArrayRef<llvm::Instruction*> ends);

/// The function's return instructions.
[[nodiscard]] llvm::SmallVector<llvm::Instruction*> returns_of(llvm::Function& function);

} // namespace gantry::pass
