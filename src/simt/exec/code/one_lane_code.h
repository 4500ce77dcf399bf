// A function in its one-lane form as plain data. lower/decode.cpp makes it from the LLVM IR that
// ScalarFunction writes, before any optimisation; the evaluator executes it for the lanes of a
// warp.
//
// A value is a column: 32 words of 64 bits, one a lane, with zeros above the value's width; numbers
// of 128 bits, structures and vectors of parameters are several columns. The columns of a call are
// numbered from 0; the first `zeroed` ones are the function's variables (registers, and parameters
// whose address nobody takes) and begin as zero.
#pragma once

#include "simt/exec/warp/warp.h"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace gantry::simt::exec {

/// Operations beyond LLVM's own instructions; one_lane.def has their arguments.
enum class LaneOperation : std::uint8_t {
#define GANTRY_LANE_OPERATION(name, function, facts) k##name,
#include "simt/exec/code/one_lane.def"
};

/// Modes of shfl, as in kShuffle's first argument.
enum class ShuffleMode : std::uint8_t { kUp, kDown, kButterfly, kIndex };
enum class ReduxKind : std::uint8_t { kAdd, kMinU, kMaxU, kMinS, kMaxS, kAnd, kOr, kXor };

/// Beside the address spaces of AccessSpace: memory of the executor itself, which is never checked.
inline constexpr std::uint8_t kTrustedSpace = 7;

/// `width` is that of the first operand in bits, for accesses of memory that of the value; `to` is
/// that of the result.
enum class LaneInstruction : std::uint8_t {
#define GANTRY_LANE_INTEGER(name, kind, llvm, value) k##name,
#define GANTRY_LANE_FLOAT GANTRY_LANE_INTEGER
#define GANTRY_LANE_TO_FLOAT GANTRY_LANE_INTEGER
#include "simt/exec/code/one_lane.def"
  kMulHigh,   ///< (a, its upper word, b, its upper word): bits 64 to 127 of the product
  kOperation, ///< `operation`
  // Memory: `space`, `whole`, `offset`, `site`.
  kLoad,         ///< (address)
  kStore,        ///< (address, value)
  kUpdate,       ///< (address, value): the old value; `detail` is an Update
  kExchange,     ///< (address, expected, new): the old value
  kFence,        ///< `detail` 1: for threads of other blocks too
  kLocalAddress, ///< () -> offset of the function's local memory in the window, and `detail`
  // Control. Targets are indices of steps.
  kJump,   ///< to `targets`[0]
  kBranch, ///< (i1): to `targets`[0] if true, else to `targets`[1]
  kSwitch, ///< (a): to the one of `targets` from the second on that the value is; else to the first
  kIf,     ///< (i1): the steps as far as `targets`[0], for those lanes for which it is true
  kReturn, ///< the words `words`
};

/// The relation between two numbers, as in the predicates of LLVM's fcmp.
enum CompareBit : std::uint8_t { kIsEqual = 1, kIsGreater = 2, kIsLess = 4, kIsUnordered = 8 };

enum class Update : std::uint8_t {
#define GANTRY_LANE_UPDATE(name, llvm, value) k##name,
#include "simt/exec/code/one_lane.def"
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

  StepFunction function = nullptr; ///< set by the evaluator (bind_steps())
  LaneInstruction instruction = LaneInstruction::kOperation;
  LaneOperation operation = LaneOperation::kSpecial;
  std::uint8_t width = 0, to = 0;
  bool is_bfloat = false;             ///< of kUpdate: bf16
  std::uint8_t space = 0;             ///< an AccessSpace, or kTrustedSpace
  bool acquires = false;              ///< of kLoad
  bool releases = false;              ///< of kStore
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

} // namespace gantry::simt::exec
