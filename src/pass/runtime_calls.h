// Calls of the device runtime in a program, and what memory it and the program share.
#pragma once

#include <llvm/IR/Instructions.h>

namespace gantry::pass {

/// Address space of a team's memory, the same number for NVPTX and AMDGPU.
inline constexpr unsigned kSharedSpace = 3;

/// The function that the value calls by name; empty if it is no such call.
[[nodiscard]] inline llvm::StringRef name_of_callee(const llvm::Value& value) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&value);
  const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee == nullptr ? "" : callee->getName();
}

/// These begin parallel regions: __kmpc_parallel_60 is Clang's since LLVM 22, __kmpc_parallel_51
/// before.
inline constexpr const char* kParallelCalls[] = {"__kmpc_parallel_60", "__kmpc_parallel_51"};
/// Arguments of either.
inline constexpr unsigned kParallelThreads = 3; ///< of num_threads; negative: no clause
inline constexpr unsigned kParallelBody = 5;    ///< the region
inline constexpr unsigned kParallelWrapper = 6; ///< what workers call for it

/// The call if it is one of those, else null.
[[nodiscard]] inline const llvm::CallInst* parallel_call(const llvm::Value& value) {
  const llvm::StringRef name = name_of_callee(value);
  return name == kParallelCalls[0] || name == kParallelCalls[1] ? llvm::cast<llvm::CallInst>(&value)
                                                                : nullptr;
}

/// These reduce over the threads of a team and over a league; they call functions among their
/// arguments, which Clang has made.
inline constexpr const char* kReduceCalls[] = {"__kmpc_nvptx_parallel_reduce_nowait_v2",
                                               "__kmpc_nvptx_teams_reduce_nowait_v2"};

} // namespace gantry::pass
