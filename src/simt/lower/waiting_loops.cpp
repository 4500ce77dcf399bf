#include "simt/lower/waiting_loops.h"

#include "simt/exec/warp/async_operation.h"
#include "simt/lower/operations.h"
#include "simt/lower/pipeline.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace gantry::simt::lower {

namespace {

using exec::AsyncAction;
using exec::AsyncOperation;

/// The call as mbarrier.try_wait, if it is one.
std::optional<AsyncOperation> wait_of(const llvm::Instruction& instruction) {
  if (operation_of(instruction) != LaneOperation::kAsyncWait) {
    return std::nullopt;
  }
  const auto what =
      AsyncOperation::unpacked(constant_of(llvm::cast<llvm::CallInst>(instruction), 0));
  return what.action == AsyncAction::kWait ? std::optional(what) : std::nullopt;
}

bool asks_barrier(const llvm::Instruction& instruction) {
  return wait_of(instruction).has_value() ||
         (operation_of(instruction) == LaneOperation::kAsync &&
          AsyncOperation::unpacked(constant_of(llvm::cast<llvm::CallInst>(instruction), 0))
                  .action == AsyncAction::kTest);
}

// Whether nothing in the loop has an effect, and what it reads nobody else can change.
bool does_nothing_else(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      const bool is_own = load != nullptr && (load->getPointerAddressSpace() == kTrusted ||
                                              load->getPointerAddressSpace() == kLocal);
      if (instruction.mayReadOrWriteMemory() && !is_own && !asks_barrier(instruction)) {
        return false;
      }
    }
  }
  return true;
}

// Whether a loop cannot be left as long as `wait` says that the phase is not over, whatever its
// other waits say.
bool goes_on_until(llvm::Instruction& wait, llvm::Loop& loop, llvm::LoopInfo& loops) {
  llvm::DenseMap<llvm::Value*, llvm::Constant*> known;
  known[&wait] = llvm::Constant::getNullValue(wait.getType());
  const auto value_of = [&](llvm::Value* value) {
    const auto found = known.find(value);
    return found != known.end() ? found->second : value;
  };
  llvm::LoopBlocksRPO order(&loop);
  order.perform(&loops);
  const llvm::SimplifyQuery query(wait.getDataLayout());
  // The second time, phis know what comes back to them.
  for (int round = 0; round < 2; ++round) {
    for (llvm::BasicBlock* block : order) {
      for (llvm::Instruction& instruction : *block) {
        llvm::SmallVector<llvm::Value*> operands;
        for (llvm::Value* operand : instruction.operands()) {
          operands.push_back(value_of(operand));
        }
        llvm::Value* result = nullptr;
        if (!llvm::isa<llvm::PHINode>(instruction)) {
          result = llvm::simplifyInstructionWithOperands(&instruction, operands, query);
        } else if (llvm::all_equal(operands)) {
          result = operands[0];
        }
        if (auto* constant = llvm::dyn_cast_if_present<llvm::Constant>(result)) {
          known.try_emplace(&instruction, constant);
        }
      }
    }
  }
  llvm::SmallVector<llvm::BasicBlock*> exiting;
  loop.getExitingBlocks(exiting);
  return llvm::all_of(exiting, [&](llvm::BasicBlock* block) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (branch == nullptr || branch->isUnconditional()) {
      return false;
    }
    const auto* condition = llvm::dyn_cast<llvm::ConstantInt>(value_of(branch->getCondition()));
    return condition != nullptr && loop.contains(branch->getSuccessor(condition->isZero() ? 1 : 0));
  });
}

/// The site of an operation, which is its last argument.
llvm::Value* site_of(const llvm::CallInst& call) {
  return call.getArgOperand(call.arg_size() - 1);
}

} // namespace

void find_waiting_loops(llvm::Function& function, llvm::TargetMachine& machine) {
  if (llvm::none_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
        return wait_of(instruction).has_value();
      })) {
    return;
  }
  llvm::ValueToValueMapTy values;
  llvm::Function* const copy = llvm::CloneFunction(&function, values);
  simplify_scalar(*copy, machine);
  llvm::DominatorTree tree(*copy);
  llvm::LoopInfo loops(tree);
  // Of one that is there twice, both must be such a loop.
  llvm::DenseMap<llvm::Value*, bool> only_waits;
  for (llvm::Instruction& instruction : llvm::instructions(*copy)) {
    if (wait_of(instruction)) {
      llvm::Loop* const loop = loops.getLoopFor(instruction.getParent());
      const bool does =
          loop != nullptr && does_nothing_else(*loop) && goes_on_until(instruction, *loop, loops);
      const auto [place, is_new] =
          only_waits.try_emplace(site_of(llvm::cast<llvm::CallInst>(instruction)), does);
      place->second &= does;
    }
  }
  copy->eraseFromParent();
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (std::optional<AsyncOperation> what = wait_of(instruction)) {
      auto& call = llvm::cast<llvm::CallInst>(instruction);
      what->only_waits = only_waits.lookup(site_of(call));
      call.setArgOperand(0,
                         llvm::ConstantInt::get(call.getArgOperand(0)->getType(), what->packed()));
    }
  }
}

} // namespace gantry::simt::lower
