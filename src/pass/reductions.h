// Makes reductions of small types, and of records of them, work on GPUs. In the functions that add
// up a warp and a league, Clang
//   - moves an element of less than four bytes as four, and stores all four where it has room for
//     the element alone, which is a poison value once it is optimised;
//   - takes records for better aligned than their types are where they lie behind each other.
// This pass stores what the element has, and accesses records as they are aligned.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

/// Runs first, before anything draws conclusions.
struct Reductions : llvm::PassInfoMixin<Reductions> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
