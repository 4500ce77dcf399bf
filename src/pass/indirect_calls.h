// Calls through pointers in device code. A pointer that came from the host has the address of the
// host's function; device code calls it through the translation.
//
// Runs last, when the optimiser has made what calls it can direct. A call through a pointer that is
// surely the device's is left as it is.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

struct IndirectCalls : llvm::PassInfoMixin<IndirectCalls> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
