// Long division without its short cut.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::simt::lower {

/// LLVM's code for GPUs divides numbers of 64 bits as numbers of 32 where both are small, after a
/// branch that lanes may take differently. Behind it nothing is known of the quotient, which would
/// be affine (divergence.h) otherwise. Takes the long way always.
class UndoDivisionBypass : public llvm::PassInfoMixin<UndoDivisionBypass> {
public:
  // NOLINTNEXTLINE(readability-identifier-naming): LLVM calls it by this name
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace gantry::simt::lower
