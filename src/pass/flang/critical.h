// Critical constructs on GPUs whose waves run in lockstep. Flang has every thread wait for the
// construct's lock at once, and so a wave's lanes wait for the one of them that has it.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

/// On AMD's GPUs has the lanes of a wave come to a critical construct one after the other.
struct FlangCritical : llvm::PassInfoMixin<FlangCritical> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
