#include "pass/flang/critical.h"

#include "pass/flang/device_code.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace gantry::pass {
namespace {

constexpr unsigned kLock = 2; ///< the argument of both calls

/// The call that leaves the construct; null if there is none that every way out of it comes to.
llvm::CallInst* end_of(llvm::CallInst& begin) {
  llvm::Function& function = *begin.getFunction();
  const llvm::DominatorTree order(function);
  const llvm::PostDominatorTree ends(function);
  llvm::CallInst* found = nullptr;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee != nullptr && callee->getName() == "__kmpc_end_critical" &&
        call->getArgOperand(kLock) == begin.getArgOperand(kLock) && order.dominates(&begin, call) &&
        ends.dominates(call->getParent(), begin.getParent()) &&
        (found == nullptr || order.dominates(call, found))) {
      found = call;
    }
  }
  return found;
}

/// The number of the lane in its wave.
llvm::Value* make_lane(llvm::IRBuilder<>& builder) {
  llvm::Value* const all = builder.getInt32(~0U);
  llvm::Value* const lower =
      builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_mbcnt_lo, {}, {all, builder.getInt32(0)});
  return builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_mbcnt_hi, {}, {all, lower});
}

/// Has each lane execute what is between the calls, these among it, in a turn of its own:
///   for (turn = 0; turn < lanes of a wave; ++turn) if (turn == lane) { … }
void take_turns(llvm::CallInst& begin, llvm::CallInst& end) {
  llvm::BasicBlock* const behind = llvm::SplitBlock(end.getParent(), end.getNextNode());
  llvm::BasicBlock* const last = end.getParent();
  llvm::BasicBlock* const before = begin.getParent();
  llvm::BasicBlock* const first = llvm::SplitBlock(before, &begin);
  llvm::LLVMContext& context = begin.getContext();
  auto* const turn = llvm::BasicBlock::Create(context, "critical.turn", begin.getFunction(), first);
  auto* const next =
      llvm::BasicBlock::Create(context, "critical.next", begin.getFunction(), behind);

  llvm::IRBuilder<> builder(before->getTerminator());
  builder.SetCurrentDebugLocation(begin.getDebugLoc());
  llvm::Value* const lane = make_lane(builder);
  llvm::Value* const lanes =
      builder.CreateIntrinsic(builder.getInt32Ty(), llvm::Intrinsic::amdgcn_wavefrontsize, {});
  before->getTerminator()->setSuccessor(0, turn);

  builder.SetInsertPoint(turn);
  llvm::PHINode* const number = builder.CreatePHI(builder.getInt32Ty(), 2);
  builder.CreateCondBr(builder.CreateICmpEQ(number, lane), first, next);

  // Where lanes meet again. That no optimiser may move: to it, a thread goes through the loop once.
  (last == before ? first : last)->getTerminator()->setSuccessor(0, next);
  builder.SetInsertPoint(next);
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::amdgcn_wave_barrier, {});
  llvm::Value* const following = builder.CreateAdd(number, builder.getInt32(1));
  builder.CreateCondBr(builder.CreateICmpULT(following, lanes), turn, behind);
  number->addIncoming(builder.getInt32(0), before);
  number->addIncoming(following, next);
}

} // namespace

llvm::PreservedAnalyses FlangCritical::run(llvm::Module& module,
                                           llvm::ModuleAnalysisManager& /*analyses*/) {
  if (!is_flangs_device_code(module) || !llvm::Triple(module.getTargetTriple()).isAMDGCN()) {
    return llvm::PreservedAnalyses::all();
  }
  for (const char* const name : {"__kmpc_critical", "__kmpc_critical_with_hint"}) {
    llvm::Function* const enter = module.getFunction(name);
    if (enter == nullptr) {
      continue;
    }
    for (llvm::User* const user : llvm::make_early_inc_range(enter->users())) {
      auto* const begin = llvm::dyn_cast<llvm::CallInst>(user);
      llvm::CallInst* const end = begin == nullptr ? nullptr : end_of(*begin);
      if (end != nullptr) {
        take_turns(*begin, *end);
      }
    }
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace gantry::pass
