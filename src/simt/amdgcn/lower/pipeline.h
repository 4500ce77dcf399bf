// What LLVM makes of a wave's code.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace gantry::simt::amdgcn::lower {

/// In a loop over lanes: puts into a lane's place of 32 bits, later, whether all that its
/// operations of floats have made are numbers: 0, or -1 if not. What becomes of what is no number
/// is not looked at, as long as it goes into an operation of floats, which hands it on.
void mark_numbers(llvm::IRBuilder<>& builder, llvm::Value* place, llvm::MDNode* accesses);

/// Makes vectors of lanes, and leaves nothing of the module but what its external function needs.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

} // namespace gantry::simt::amdgcn::lower
