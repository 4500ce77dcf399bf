#include "simt/lower/pipeline.h"

#include "simt/emit/analyses.h"
#include "simt/lower/bit_selections.h"
#include "simt/lower/division_bypass.h"
#include "simt/lower/operations.h"
#include "simt/lower/promotion.h"
#include "simt/lower/reducible.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

namespace gantry::simt::lower {

namespace {

// An address that is a window's base and something: that something. Null if it is not.
llvm::Value* offset_in_window(llvm::Value* address, LaneOperation base,
                              llvm::IRBuilder<>& builder) {
  if (auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(address)) {
    return offset_in_window(cast->getOperand(0), base, builder);
  }
  if (auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(address)) {
    llvm::APInt offset(64, 0);
    if (!element->accumulateConstantOffset(element->getModule()->getDataLayout(), offset)) {
      return nullptr;
    }
    llvm::Value* rest = offset_in_window(element->getPointerOperand(), base, builder);
    return rest == nullptr ? nullptr : builder.CreateAdd(rest, builder.getInt(offset));
  }
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(address);
  if (sum == nullptr || sum->getOpcode() != llvm::Instruction::Add) {
    return nullptr;
  }
  for (unsigned i = 0; i < 2; ++i) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(sum->getOperand(i));
    if (call != nullptr && operation_of(*call) == base) {
      return sum->getOperand(1 - i);
    }
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (llvm::Value* rest = offset_in_window(sum->getOperand(i), base, builder)) {
      return builder.CreateAdd(rest, sum->getOperand(1 - i));
    }
  }
  return nullptr;
}

// Generic accesses whose address was made from one of the shared or local window are accesses
// there: producers pass such addresses about as generic ones.
void infer_spaces(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (operation_of(instruction) == LaneOperation::kLocalOffset) {
      llvm::IRBuilder<> builder(&instruction);
      if (llvm::Value* offset =
              offset_in_window(instruction.getOperand(0), LaneOperation::kLocalBase, builder)) {
        instruction.replaceAllUsesWith(offset);
      }
      continue;
    }
    llvm::Use* pointer = nullptr;
    if (llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::AtomicRMWInst>(instruction) ||
        llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) {
      pointer = &instruction.getOperandUse(0);
    } else if (llvm::isa<llvm::StoreInst>(instruction)) {
      pointer = &instruction.getOperandUse(1);
    }
    if (pointer == nullptr || pointer->get()->getType()->getPointerAddressSpace() != kGeneric) {
      continue;
    }
    llvm::IRBuilder<> builder(&instruction);
    for (const auto& [base, space] :
         {std::pair{LaneOperation::kLocalBase, kLocal}, {LaneOperation::kSharedBase, kShared}}) {
      if (llvm::Value* offset = offset_in_window(pointer->get(), base, builder)) {
        pointer->set(
            builder.CreateIntToPtr(offset, llvm::PointerType::get(function.getContext(), space)));
        break;
      }
    }
  }
}

// A loop that does nothing but look at one place waits for somebody to write there: its load must
// stay in the loop, and the loop must let others run.
void keep_waiting_loads(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  for (const llvm::Loop* loop :
       analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    llvm::SmallVector<llvm::LoadInst*> loads;
    bool does_more = false;
    for (llvm::BasicBlock* block : loop->blocks()) {
      for (llvm::Instruction& instruction : *block) {
        does_more |= instruction.mayWriteToMemory();
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load != nullptr && load->isSimple() && load->getPointerAddressSpace() != kTrusted &&
            load->getPointerAddressSpace() != kLocal &&
            loop->isLoopInvariant(load->getPointerOperand())) {
          loads.push_back(load);
        }
      }
    }
    for (llvm::LoadInst* load : loads) {
      if (!does_more) {
        load->setVolatile(true);
      }
    }
  }
}

} // namespace

void simplify_scalar(llvm::Function& function, llvm::TargetMachine& machine) {
  Analyses analyses(function.getContext(), machine);
  {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.run(function, analyses.functions);
  }
  infer_spaces(function);
  analyses.functions.invalidate(function, llvm::PreservedAnalyses::none());
  keep_waiting_loads(function, analyses.functions);
  {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::GVNPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(UndoDivisionBypass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::ADCEPass());
    passes.addPass(llvm::LowerSwitchPass());
    passes.addPass(MakeReducible());
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.run(function, analyses.functions);
  }
}

void optimize_warp(llvm::Function& function, llvm::TargetMachine& machine, exec::Tier tier) {
  if (tier == exec::Tier::kQuick) {
    hide_bit_selections(function);
    return;
  }
  promote_variables(function);
  Analyses analyses(function.getContext(), machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.run(function, analyses.functions);
  hide_bit_selections(function);
}

} // namespace gantry::simt::lower
