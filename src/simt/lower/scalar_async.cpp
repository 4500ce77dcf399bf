// Barriers in shared memory, and what arrives there by itself (PTX ISA 9.0, 9.7.9.25 and
// 9.7.13.15).
#include "simt/lower/scalar_function.h"
#include "simt/ptx/instruction.h"

namespace gantry::simt::lower {

using exec::AsyncAction;
using exec::AsyncOperation;
using exec::AsyncPlace;
using exec::AsyncReduction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

AsyncReduction ScalarFunction::reduction_of(const ptx::Instruction& instruction) {
  static constexpr std::pair<Modifier, AsyncReduction> kRows[] = {
      {Modifier::kAdd, AsyncReduction::kAdd},       {Modifier::kMin, AsyncReduction::kMin},
      {Modifier::kMax, AsyncReduction::kMax},       {Modifier::kInc, AsyncReduction::kIncrement},
      {Modifier::kDec, AsyncReduction::kDecrement}, {Modifier::kAnd, AsyncReduction::kAnd},
      {Modifier::kOr, AsyncReduction::kOr},         {Modifier::kXor, AsyncReduction::kXor},
  };
  for (const auto& [modifier, reduction] : kRows) {
    if (instruction.has(modifier)) {
      return reduction;
    }
  }
  return AsyncReduction::kNone;
}

bool ScalarFunction::lower_async(const ptx::Instruction& instruction) {
  if (lower_cluster(instruction)) {
    return true;
  }
  if (instruction.opcode == Opcode::k_mbarrier) {
    lower_mbarrier(instruction);
    return true;
  }
  if (instruction.opcode == Opcode::k_cp && instruction.has(Modifier::kMbarrier)) {
    // The copies before it have been made. Without .noinc the phase expects this arrival beside
    // all others, which changes no count.
    const bool counts = instruction.has(Modifier::kNoinc);
    Value* barrier = generic_address(instruction.operands[0], ptx::accessed_space(instruction));
    AsyncOperation what;
    what.action = AsyncAction::kArrive;
    what.joins = !counts;
    async(what, {barrier, number(1, 64), number(0, 64)});
    return true;
  }
  if (instruction.opcode == Opcode::k_cp && instruction.has(Modifier::kBulk)) {
    lower_bulk(instruction);
    return true;
  }
  return false;
}

llvm::Value* ScalarFunction::generic_address(const Operand& address, Space space) {
  if (space != Space::kShared) {
    return builder_.CreatePtrToInt(pointer(address, Space::kGeneric), bits(64));
  }
  return builder_.CreateAdd(operation(LaneOperation::kSharedBase, bits(64), {}),
                            builder_.CreatePtrToInt(pointer(address, Space::kShared), bits(64)));
}

llvm::Value* ScalarFunction::async(AsyncOperation what, llvm::ArrayRef<Value*> words) {
  std::vector<Value*> arguments = {number(what.packed())};
  arguments.insert(arguments.end(), words.begin(), words.end());
  arguments.push_back(site());
  const bool waits = what.action == AsyncAction::kWait || what.action == AsyncAction::kClusterWait;
  return operation(waits ? LaneOperation::kAsyncWait : LaneOperation::kAsync, bits(64), arguments);
}

void ScalarFunction::lower_mbarrier(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  const auto has = [&](Modifier modifier) { return instruction.has(modifier); };
  if (has(Modifier::kPendingCount)) {
    set_bits(operands[0],
             builder_.CreateAnd(get_bits(operands[1], 64), number(exec::kMbarrierPending, 64)));
    return;
  }
  const auto word = [&](std::size_t index) {
    return builder_.CreateZExt(get_bits(operands[index], 32), bits(64));
  };
  const bool returns = has(Modifier::kArrive) || has(Modifier::kArriveDrop) ||
                       has(Modifier::kTestWait) || has(Modifier::kTryWait);
  Value* barrier = generic_address(operands[returns ? 1 : 0], ptx::accessed_space(instruction));
  AsyncOperation what;
  what.relaxed = has(Modifier::kRelaxed);
  what.to = has(Modifier::kSharedCluster) ? AsyncPlace::kClusterShared : AsyncPlace::kShared;
  if (has(Modifier::kTestWait) || has(Modifier::kTryWait)) {
    what.action = has(Modifier::kTryWait) ? AsyncAction::kWait : AsyncAction::kTest;
    what.by_parity = has(Modifier::kParity);
    Value* phase = what.by_parity ? word(2) : get_bits(operands[2], 64);
    set_bits(operands[0], builder_.CreateIsNotNull(async(what, {barrier, phase})));
    return;
  }
  if (returns) {
    what.action = AsyncAction::kArrive;
    what.no_complete = has(Modifier::kNoComplete);
    what.drops = has(Modifier::kArriveDrop);
    const bool expects = has(Modifier::kExpectTx);
    Value* count = expects || operands.size() < 3 ? static_cast<Value*>(number(1, 64)) : word(2);
    set_bits(operands[0],
             async(what, {barrier, count, expects ? word(2) : static_cast<Value*>(number(0, 64))}));
    return;
  }
  what.action = has(Modifier::kInit)       ? AsyncAction::kInit
                : has(Modifier::kInval)    ? AsyncAction::kInvalidate
                : has(Modifier::kExpectTx) ? AsyncAction::kExpect
                                           : AsyncAction::kComplete;
  async(what, {barrier, operands.size() > 1 ? word(1) : static_cast<Value*>(number(0, 64))});
}

// The copy is made at once, so groups are always complete when they are waited for; a prefetch is a
// hint.
void ScalarFunction::lower_bulk(const ptx::Instruction& instruction) {
  const auto has = [&](Modifier modifier) { return instruction.has(modifier); };
  const bool to_global = has(Modifier::kBulkGroup);
  const bool counts = has(Modifier::kMbarrierBytes);
  if (!to_global && !counts) {
    return;
  }
  AsyncOperation what;
  what.action = AsyncAction::kBulk;
  what.counts_bytes = counts;
  what.to = to_global                       ? AsyncPlace::kGlobal
            : has(Modifier::kSharedCluster) ? AsyncPlace::kClusterShared
                                            : AsyncPlace::kShared;
  what.from = !to_global && has(Modifier::kGlobal) ? AsyncPlace::kGlobal : AsyncPlace::kShared;
  if (has(Modifier::kReduce)) {
    what.type = instruction.type();
    what.reduction = reduction_of(instruction);
  }
  const auto address = [&](std::size_t index, AsyncPlace place) {
    return generic_address(instruction.operands[index],
                           place == AsyncPlace::kGlobal ? Space::kGlobal : Space::kShared);
  };
  what.multicast = has(Modifier::kMulticastCluster);
  async(what, {address(0, what.to), address(1, what.from),
               builder_.CreateZExt(get_bits(instruction.operands[2], 32), bits(64)),
               counts ? address(3, AsyncPlace::kShared) : static_cast<Value*>(number(0, 64)),
               what.multicast ? builder_.CreateZExt(get_bits(instruction.operands[4], 16), bits(64))
                              : static_cast<Value*>(number(0, 64))});
}

} // namespace gantry::simt::lower
