// Virtual calls in device code. An object that the host made has the host's virtual table pointer;
// device code reads it through the translation, so that what it finds in the table, functions and
// offsets of virtual bases, is the device's.
//
// Runs first, on what Clang emits: the loads are recognised by what is done with them, which the
// optimiser hides.
#pragma once

#include <cstdint>

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

class VirtualCalls : public llvm::PassInfoMixin<VirtualCalls> {
public:
  /// Clang's unoptimised code, or optimised code, in which only the alias metadata identifies
  /// loads.
  enum class Code : std::uint8_t { kAsEmitted, kOptimised };

  explicit VirtualCalls(Code code = Code::kAsEmitted) : code_(code) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }

private:
  Code code_;
};

/// Folds the translation of device addresses, so that a virtual call of an object that was made on
/// the device can become a direct call.
struct FoldTranslations : llvm::PassInfoMixin<FoldTranslations> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace gantry::pass
