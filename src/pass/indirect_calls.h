// Calls through pointers in device code. A pointer that came from the host has the address of the
// host's function; device code calls it through the translation.
//
// In code for CPUs they run last, when the optimiser has made what calls it can direct. Code for
// GPUs is linked with a runtime that has pointers to functions of the device, so there they run
// last in the compilation of a source file; the link's optimiser can see through translations. A
// call through a pointer that is surely the device's is left as it is.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

class IndirectCalls : public llvm::PassInfoMixin<IndirectCalls> {
public:
  /// Where in the compilation the pass stands.
  enum class Place { kBeforeLink, kLast };

  explicit IndirectCalls(Place place) : place_(place) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }

private:
  Place place_;
};

} // namespace gantry::pass
