// Makes the copyprivate clause work on GPUs. Clang puts the clause's list and its variables into
// local memory, which other threads of a GPU cannot read; this pass moves them to memory that all
// threads of the team can read.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

/// Runs first, while variables are as Clang has made them.
struct CopyPrivate : llvm::PassInfoMixin<CopyPrivate> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
