// A PTX function in its one-lane form as plain data: what lower/decode.cpp makes of the LLVM IR
// that ScalarFunction has written, before any optimisation, and what the evaluator (evaluator.h)
// executes for the lanes of a warp.
//
// A value is a column: 32 words of 64 bits, one a lane, with zeros above the value's width; numbers
// of 128 bits, structures and vectors of parameters are several columns. The columns of a call are
// numbered from 0; the first `zeroed` ones are the function's variables (registers, and parameters
// whose address nobody takes) and begin as zero.
#pragma once

#include "simt/exec/warp.h"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace gantry::simt::exec {

/// What the one-lane form has beyond LLVM's own instructions: the warp, the block and the machine.
/// lower/operations.h has them as calls of placeholders, with these arguments.
enum class Operation : std::uint8_t {
  // Values. Pure.
  kSpecial,     ///< (i32 SpecialRegister, i32 number of the operand) -> i32 or i64
  kVariable,    ///< (i32 index in Program::variables) -> i64 address, or offset if shared
  kParameters,  ///< () -> ptr addrspace(kTrusted): the kernel's parameters
  kFunction,    ///< (i32 index in Program::functions) -> i64 handle
  kSharedBase,  ///< () -> i64 generic address of the block's shared window
  kLocalBase,   ///< () -> i64 generic address of the lane's local window
  kLocalOffset, ///< (i64 generic address of local memory, of any lane) -> i64 offset in its window
  kArithmetic,  ///< (i32 packed Arithmetic, i64 a, i64 b, i64 c) -> i64
  kInWindow, ///< (i32 kShared, kLocal, kTrusted (parameters) or kGlobal: none, i64 generic address)
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
enum class ShuffleMode : std::uint8_t { kUp, kDown, kButterfly, kIndex };
enum class ReduxKind : std::uint8_t { kAdd, kMinU, kMaxU, kMinS, kMaxS, kAnd, kOr, kXor };

/// Beside the address spaces of AccessSpace: memory of the executor itself, which is never checked.
inline constexpr std::uint8_t kTrustedSpace = 7;

/// Instructions of LLVM. `width` is that of the operands in bits, but where said otherwise.
enum class LaneInstruction : std::uint8_t {
  kOperation, ///< `operation`
  // (a, b), of integers. Shifts by the width or more and divisions by zero do not occur.
  kAdd,
  kSub,
  kMul,
  kMulHigh, ///< (a, its upper word, b, its upper word): bits 64 to 127 of the product
  kUDiv,
  kSDiv,
  kURem,
  kSRem,
  kShl,
  kLShr,
  kAShr,
  kAnd,
  kOr,
  kXor,
  kUMin,
  kUMax,
  kSMin,
  kSMax,
  kAddSaturated,         ///< signed
  kSubSaturated,         ///< signed
  kSubSaturatedUnsigned, ///< unsigned
  kAddOverflows,         ///< unsigned: the carry
  kSubOverflows,         ///< unsigned: the borrow
  kCompare,              ///< unsigned; `detail`: of the bits of CompareBit those that make it true
  kCompareSigned,
  // (a), of integers
  kAbs,
  kPopulation,
  kLeadingZeros,
  kTrailingZeros,
  kReverseBits,
  kSignExtend, ///< from `width` to `to`
  kTruncate,   ///< to `width`
  kSignWord,   ///< the upper word of the number of 64 bits as one of 128
  kSelect,     ///< (i1, a, b)
  kCopy,       ///< (a)
  // In floating point.
  kFAdd,
  kFSub,
  kFMul,
  kFDiv,
  kFMinimum,       ///< a NaN if either is one; -0 is less than +0
  kFMaximum,       ///
  kFMinimumNumber, ///< the other one if either is a NaN
  kFMaximumNumber,
  kFCopySign,
  kFCompare, ///< `detail`: of the bits of CompareBit those that make it true
  kFMa,      ///< (a, b, c)
  kFSqrt,
  kFAbsolute,
  kFRoundEven,
  kFTruncate,
  kFFloor,
  kFCeiling,
  kFCanonical, ///< of a NaN PTX's one NaN
  kFConvert,   ///< from a format of `width` bits to one of `to`
  kFFromSigned,
  kFFromUnsigned, ///< from an integer of `width` bits to a format of `to`
  kFToSigned,
  kFToUnsigned, ///< to an integer of `to` bits: clamped, NaN is zero
  // Memory: `space`, `origin`. Of `width` bits.
  kLoad,     ///< (address)
  kStore,    ///< (address, value)
  kUpdate,   ///< (address, value): the old value; `detail` is an Update
  kExchange, ///< (address, expected, new): the old value
  kFence,
  // A part of a variable: `width` bits from bit `detail` on.
  kLoadPart,     ///< (variable)
  kStorePart,    ///< (variable, value), into the former
  kLocalAddress, ///< () -> offset of the function's local memory in the window, and `detail`
  // Control. Targets are indices of steps.
  kJump,   ///< to `targets`[0]
  kBranch, ///< (i1): to `targets`[0] if true, else to `targets`[1]
  kSwitch, ///< (a): to the one of `targets` from the second on that the value is; else to the first
  kIf,     ///< (i1): the steps as far as `targets`[0], for those lanes for which it is true
  kReturn, ///< the words `words`
  kUnreachable,
};

/// What holds between two numbers, as in the predicates of LLVM's fcmp.
enum CompareBit : std::uint8_t { kIsEqual = 1, kIsGreater = 2, kIsLess = 4, kIsUnordered = 8 };

enum class Update : std::uint8_t {
  kAdd,
  kFAdd,
  kBFAdd, ///< of bf16
  kUMin,
  kUMax,
  kSMin,
  kSMax,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kIncrement, ///< to 0 beyond the operand
  kDecrement, ///< to the operand from 0 and from beyond it
};

/// A column of the call, or one that is the same in all calls.
struct LaneOperand {
  const std::uint64_t* constant = nullptr; ///< 32 words; null: `column` says
  std::uint32_t column = 0;
};

class Evaluator;
struct LaneGroup;
struct LaneStep;

/// Executes a step for the lanes of `active`, at least one. LaneGroup::at is already that of the
/// next step.
using StepFunction = void (*)(Evaluator&, LaneGroup&, const LaneStep&, LaneMask active);

struct LaneStep {
  static constexpr std::uint32_t kNoResult = 0xFFFF'FFFF;

  StepFunction function = nullptr; ///< set by exec/ (bind_steps())
  LaneInstruction instruction = LaneInstruction::kOperation;
  Operation operation = Operation::kSpecial;
  std::uint8_t width = 0, to = 0;
  std::uint8_t space = 0;             ///< an AccessSpace, or kTrustedSpace
  bool acquires = false;              ///< of kLoad: what follows stays behind it
  bool releases = false;              ///< of kStore: what was before stays before it
  std::uint8_t whole = 0, offset = 0; ///< the access is a part of one of `whole` bytes, from there
  std::uint32_t detail = 0;           ///< an operation's first argument, if it is a constant number
  std::uint32_t result = kNoResult;   ///< column
  std::array<LaneOperand, 4> operands;
  Site site = 0;
  std::uint64_t signature = 0;        ///< of calls
  std::vector<LaneOperand> words;     ///< what a call passes, or kReturn gives
  std::vector<std::uint32_t> results; ///< of a call: where the words that it gives go
  std::vector<std::uint32_t> targets;
};

struct OneLaneCode {
  using Column = std::array<std::uint64_t, kLanes>;

  std::uint32_t index = 0;               ///< in Program::functions
  std::vector<std::uint32_t> parameters; ///< columns of the words that it is called with
  std::uint32_t columns = 0, zeroed = 0;
  std::uint64_t local_bytes = 0; ///< of variables whose address is taken
  std::uint32_t local_alignment = 1;
  std::vector<LaneStep> steps; ///< in the order of the PTX instructions
  std::deque<Column> constants;
};

/// Chooses the function of each step.
void bind_steps(OneLaneCode& code);

} // namespace gantry::simt::exec
