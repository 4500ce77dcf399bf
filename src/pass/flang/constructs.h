// The calls by which Flang's code for GPUs begins constructs.
#pragma once

#include <llvm/IR/Instructions.h>

namespace gantry::pass {

/// Arguments of __kmpc_parallel_60.
inline constexpr unsigned kBody = 5;
inline constexpr unsigned kWaiting = 6; ///< the function by which waiting threads call the body
inline constexpr unsigned kList = 7;
/// In front of a body's shared variables: the thread's number, and one that is always 0.
inline constexpr unsigned kOwnParameters = 2;

[[nodiscard]] bool is_call_of(const llvm::Value* value, llvm::StringRef name);

/// A call that begins a parallel region.
[[nodiscard]] bool is_region(const llvm::Value* value);

/// A call that runs a loop, whose body is a function of one iteration and of one structure with the
/// addresses of variables.
[[nodiscard]] bool is_loop(const llvm::Value* value);

/// The function that a region or a loop runs; null if it is not known.
[[nodiscard]] llvm::Function* body_of(const llvm::CallInst& call);

/// Whether a function belongs to a runtime, and so begins no region.
[[nodiscard]] bool is_of_runtime(const llvm::Function& function);

} // namespace gantry::pass
