// The operations of a GPU that LLVM's IR has no word for, as calls in the one-lane form of a
// function. What they are is in exec/one_lane_code.h.
//
// The compiler works in two steps. A PTX function first becomes plain LLVM IR for one thread
// (scalar_function.h), in which everything that concerns the warp, the block or the machine is a
// call of a placeholder; LLVM's scalar passes clean that up. Then the function is
// widened to 32 lanes (warp_function.h), where each placeholder is replaced by what it means.
#pragma once

#include "simt/exec/one_lane_code.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <optional>

namespace gantry::simt::lower {

using exec::Operation;
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

/// A call of the placeholder for `operation`.
llvm::CallInst* call_operation(llvm::IRBuilder<>& builder, Operation operation, llvm::Type* result,
                               llvm::ArrayRef<llvm::Value*> arguments);
/// The operation that the call stands for; nothing for other calls.
[[nodiscard]] std::optional<Operation> operation_of(const llvm::Instruction& instruction);

/// An argument that is known when code is made: which register, what kind of a shuffle.
[[nodiscard]] unsigned constant_of(const llvm::CallInst& call, unsigned index);

} // namespace gantry::simt::lower
