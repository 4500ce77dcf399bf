// The operations of a GPU that LLVM's IR has no word for, as calls in the one-lane form of a
// function. What they are is in exec/code/one_lane_code.h.
//
// The compiler works in two steps. A PTX function first becomes plain LLVM IR for one thread
// (scalar_function.h), in which everything that concerns the warp, the block or the machine is a
// call of a function that has no body and whose name says the operation; LLVM's scalar passes
// simplify that. Then the function is widened to 32 lanes (warp_function.h), where each such call
// becomes the code for a warp.
#pragma once

#include "simt/exec/code/one_lane_code.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <optional>

namespace gantry::simt::lower {

using exec::LaneOperation;
using exec::ReduxKind;
using exec::ShuffleMode;

/// Address spaces of pointers in the one-lane form.
enum AddressSpace : unsigned {
  kGeneric = 0,
  kGlobal = 1,
  kShared = 3, ///< pointers are offsets in the block's window
  kConst = 4,
  kLocal = 5,                    ///< pointers are offsets in the lane's window
  kTrusted = exec::kTrustedSpace ///< memory of the executor itself: never checked
};

/// A fence for the threads of the block alone, or for others too.
llvm::FenceInst* create_fence(llvm::IRBuilder<>& builder, llvm::AtomicOrdering ordering,
                              bool beyond_block);
[[nodiscard]] bool is_beyond_block(const llvm::FenceInst& fence);

/// A call that stands for `operation`.
llvm::CallInst* call_operation(llvm::IRBuilder<>& builder, LaneOperation operation,
                               llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
/// The operation that the call stands for; nothing for other calls.
[[nodiscard]] std::optional<LaneOperation> operation_of(const llvm::Instruction& instruction);

/// An argument that is known when code is made: which register, what kind of a shuffle.
[[nodiscard]] unsigned constant_of(const llvm::CallInst& call, unsigned index);

} // namespace gantry::simt::lower
