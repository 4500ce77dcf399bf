// Makes variables of regions visible between threads in code with debug information. With -g Clang
// compiles a region as a function of its own, NAME_debug__, and declares that nothing else refers
// to a variable that the function is given, `noalias`. The region's other threads do, so that LLVM
// must not keep the variable's value in a register across critical sections and barriers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

/// Runs first, before anything has relied on the attribute.
struct SharedArguments : llvm::PassInfoMixin<SharedArguments> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
