// What threads of a GPU share in Flang's code.
//
// Flang 22 makes code for GPUs in which `target` with other code than one parallel region does not
// do what the program says: all threads run what one is to run, regions have no function by which
// waiting threads could call them, and variables that a region refers to lie in the local memory of
// the thread that begins it, which no other thread can read.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

/// Gives each region a function for waiting threads, lets all but one thread wait in kernels that
/// have code for one, and moves variables of that thread to where all can read them. Runs first.
struct FlangSharing : llvm::PassInfoMixin<FlangSharing> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
