// The copyprivate clause in code for GPUs. Clang puts the list of the clause, and the variables
// that it names, into local memory, which the other threads of a GPU cannot read: here they move to
// where all threads of a team can.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

/// Runs first, while variables are as Clang has made them.
struct CopyPrivate : llvm::PassInfoMixin<CopyPrivate> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
