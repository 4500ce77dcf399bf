// Where a program begins parallel regions: the calls of the runtime for it, and their arguments.
#pragma once

#include <llvm/IR/Instructions.h>

namespace gantry::link {

/// __kmpc_parallel_60 is Clang's since LLVM 22, __kmpc_parallel_51 before.
inline constexpr const char* kParallelCalls[] = {"__kmpc_parallel_60", "__kmpc_parallel_51"};
/// Arguments of either.
inline constexpr unsigned kParallelThreads = 3; ///< of num_threads; negative: no clause
inline constexpr unsigned kParallelBody = 5;    ///< the region
inline constexpr unsigned kParallelWrapper = 6; ///< what workers call for it

/// The call if it is one of those, else null.
[[nodiscard]] inline const llvm::CallInst* parallel_call(const llvm::Value& value) {
  const auto* const call = llvm::dyn_cast<llvm::CallInst>(&value);
  const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  const bool is_one = callee != nullptr && (callee->getName() == kParallelCalls[0] ||
                                            callee->getName() == kParallelCalls[1]);
  return is_one ? call : nullptr;
}

} // namespace gantry::link
