// Works around Flang 22's code for GPUs, in which a `target` region with code other than a single
// parallel region does not do what the program says: all threads run what one thread should,
// regions have no function by which waiting threads could call them, and variables that a region
// refers to are in the local memory of the thread that begins it, which no other thread can read.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

/// Gives each region a function for waiting threads, makes all other threads wait in kernels that
/// have code for one thread, and moves that thread's variables to memory that all can read. Runs
/// first.
struct FlangSharing : llvm::PassInfoMixin<FlangSharing> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
