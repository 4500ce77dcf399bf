// The operations of a GPU that LLVM's IR has no word for, as calls in the one-lane form of a
// function.
//
// The compiler works in two steps. A PTX function first becomes plain LLVM IR for one thread
// (scalar_function.h), in which everything that concerns the warp, the block or the machine is a
// call of a placeholder declared here; LLVM's scalar passes clean that up. Then the function is
// widened to 32 lanes (warp_function.h), where each placeholder is replaced by what it means.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <optional>

namespace gantry::simt::lower {

enum class Operation : unsigned {
  // Values. Pure.
  kSpecial,    ///< (i32 SpecialRegister) -> i32 or i64; also the number and element of the operand
  kVariable,   ///< (i32 index in Program::variables) -> i64 address, or offset if shared
  kParameters, ///< () -> ptr addrspace(kTrusted): the kernel's parameters
  kFunction,   ///< (i32 index in Program::functions) -> i64 handle
  kSharedBase, ///< () -> i64 generic address of the block's shared window
  kLocalBase,  ///< () -> i64 generic address of the lane's local window
  kArithmetic, ///< (i32 packed Arithmetic, i64 a, i64 b, i64 c) -> i64
  kInWindow, ///< (i64 generic address, i32 kShared, kLocal, kTrusted (parameters) or kGlobal: none)
             ///< -> i1
  kShuffleValid, ///< (i32 mode, i32 b, i32 c) -> i1: the second result of shfl
  // The warp. Convergent.
  kShuffle,     ///< (i32 mode, i32 value, i32 b, i32 c, i32 mask, i64 site) -> i32
  kVoteBallot,  ///< (i1, i32 mask, i64 site) -> i32
  kMatchAny,    ///< (i64 value, i32 mask, i64 site) -> i32
  kMatchAll,    ///< the same: the lanes of the mask, or 0 if some have another value
  kRedux,       ///< (i32 how, i32 value, i32 mask, i64 site) -> i32
  kActiveMask,  ///< () -> i32
  kWarpBarrier, ///< (i32 mask, i64 site)
  // The block and the machine. Convergent, any memory.
  kBarrier,       ///< (i32 id, i32 threads, i32 reduction, i1 predicate, i64 site) -> i32
  kBarrierArrive, ///< (i32 id, i32 threads, i64 site)
  kNanosleep,     ///< (i32, i64 site)
  kExit,          ///< ()
  kTrap,          ///< (i32 Trap, i64 site)
  kSystemCall,    ///< (i32 SystemCall, i64…, site last) -> i64
  kClock,         ///< () -> i64
  kGlobalTimer,   ///< () -> i64
  kAlloca,        ///< (i64 size, i64 alignment, i64 site) -> i64 offset in the local window
  kStackSave,     ///< () -> i64
  kStackRestore,  ///< (i64)
  /// (i64 handle, i64 site, i64 ptx::CallInterface::signature(), words…) -> struct of words or void
  kIndirectCall,
  kDirectCall, ///< (i32 function, i64 site, i64 signature, words…) -> struct of words or void
};

/// Modes of shfl, as in kShuffle's first argument.
enum class ShuffleMode : unsigned { kUp, kDown, kButterfly, kIndex };
enum class ReduxKind : unsigned { kAdd, kMinU, kMaxU, kMinS, kMaxS, kAnd, kOr, kXor };

/// Address spaces of pointers in the one-lane form.
enum AddressSpace : unsigned {
  kGeneric = 0,
  kGlobal = 1,
  kShared = 3, ///< pointers are offsets in the block's window
  kConst = 4,
  kLocal = 5,  ///< pointers are offsets in the lane's window
  kTrusted = 7 ///< memory of the executor itself: never checked
};

/// A call of the placeholder for `operation`.
llvm::CallInst* call_operation(llvm::IRBuilder<>& builder, Operation operation, llvm::Type* result,
                               llvm::ArrayRef<llvm::Value*> arguments);
/// The operation that the call stands for; nothing for other calls.
[[nodiscard]] std::optional<Operation> operation_of(const llvm::Instruction& instruction);

/// An argument that is known when code is made: which register, what kind of a shuffle.
[[nodiscard]] unsigned constant_of(const llvm::CallInst& call, unsigned index);

} // namespace gantry::simt::lower
