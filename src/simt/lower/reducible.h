// Loops with one entry each: what DivergenceAnalysis takes.
//
// Code with jumps into the middle of a loop has none that LLVM calls a loop. All ways into such a
// cycle, from outside and from inside, are led through one new block, its header, which branches to
// where each wanted to go. (LLVM's own FixIrreducible does the same; that of LLVM 22 leaves broken
// phis behind where such cycles lie in each other.)
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::simt::lower {

/// A pass, on functions without switches.
class MakeReducible : public llvm::PassInfoMixin<MakeReducible> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace gantry::simt::lower
