#include "simt/amdgcn/lower/pipeline.h"

#include "simt/amdgcn/lower/meanings.h"
#include "simt/emit/analyses.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

namespace gantry::simt::amdgcn::lower {

namespace {

constexpr llvm::StringRef kMark = "numbers";

/// Whether the result is no number if an operand is none, and which one does not matter.
bool hands_on(const llvm::Instruction& instruction) {
  using namespace llvm;
  if (is_exact(instruction)) {
    return false;
  }
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FNeg:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return true;
  default:
    break;
  }
  const auto* const call = dyn_cast<IntrinsicInst>(&instruction);
  if (call == nullptr) {
    return false;
  }
  switch (call->getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::sqrt:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven:
    return true;
  default:
    return false;
  }
}

/// Whether the result may be no number although no operand is none, or another one than an operand.
bool computes(const llvm::Instruction& instruction) {
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return hands_on(instruction) && instruction.getOpcode() != llvm::Instruction::FNeg &&
         (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::fabs);
}

/// Whether something other than an operation of floats looks at the value.
bool is_looked_at(const llvm::Instruction& value) {
  for (const llvm::User* user : value.users()) {
    const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (instruction == nullptr || !hands_on(*instruction)) {
      return true;
    }
    if (!computes(*instruction) && is_looked_at(*instruction)) {
      return true;
    }
  }
  return false;
}

/// Puts the answer of mark_numbers() there.
void answer(llvm::CallInst& mark, const llvm::LoopInfo& loops, llvm::DominatorTree& dominators) {
  const llvm::Loop* const loop = loops.getLoopFor(mark.getParent());
  llvm::Function& function = *mark.getFunction();
  llvm::Type* const type = llvm::Type::getInt32Ty(function.getContext());
  llvm::IRBuilder<> at_entry(&function.getEntryBlock(), function.getEntryBlock().begin());
  llvm::AllocaInst* const found = at_entry.CreateAlloca(type);
  llvm::SmallVector<llvm::Instruction*> values;
  llvm::SmallVector<llvm::CallInst*> cases;
  for (llvm::BasicBlock* block : loop->blocks()) {
    for (llvm::Instruction& instruction : *block) {
      auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr &&
          call->getCalledFunction()->getName() == kUnusual) {
        cases.push_back(call);
      }
      if (computes(instruction) && is_looked_at(instruction)) {
        values.push_back(&instruction);
      }
    }
  }
  llvm::IRBuilder<> builder(&*loop->getHeader()->getFirstInsertionPt());
  builder.CreateStore(builder.getInt32(0), found);
  const auto add = [&](llvm::Value* truth) {
    builder.CreateStore(
        builder.CreateOr(builder.CreateLoad(type, found), builder.CreateSExt(truth, type)), found);
  };
  for (llvm::Instruction* value : values) {
    builder.SetInsertPoint(value->getNextNode());
    add(builder.CreateFCmpUNO(value, value));
  }
  for (llvm::CallInst* call : cases) {
    builder.SetInsertPoint(call);
    add(call->getArgOperand(0));
    call->eraseFromParent();
  }
  builder.SetInsertPoint(&mark);
  llvm::StoreInst* const store = builder.CreateAlignedStore(builder.CreateLoad(type, found),
                                                            mark.getArgOperand(0), llvm::Align(4));
  store->setMetadata(llvm::LLVMContext::MD_access_group,
                     mark.getMetadata(llvm::LLVMContext::MD_access_group));
  mark.eraseFromParent();
  llvm::PromoteMemToReg({found}, dominators);
}

struct AnswerMarks : llvm::PassInfoMixin<AnswerMarks> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses) {
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    llvm::SmallVector<llvm::CallInst*> marks;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr &&
          call->getCalledFunction()->getName() == kMark) {
        marks.push_back(call);
      }
    }
    for (llvm::CallInst* mark : marks) {
      answer(*mark, loops, dominators);
    }
    llvm::PreservedAnalyses preserved;
    preserved.preserveSet<llvm::CFGAnalyses>();
    return preserved;
  }
};

} // namespace

void mark_numbers(llvm::IRBuilder<>& builder, llvm::Value* place, llvm::MDNode* accesses) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee mark =
      module.getOrInsertFunction(kMark, builder.getVoidTy(), builder.getPtrTy());
  auto& function = *llvm::cast<llvm::Function>(mark.getCallee());
  function.setDoesNotThrow();
  function.setWillReturn();
  function.setOnlyAccessesArgMemory();
  builder.CreateCall(mark, {place})->setMetadata(llvm::LLVMContext::MD_access_group, accesses);
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  Analyses analyses(module.getContext(), machine);
  {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
    passes.addPass(llvm::GlobalDCEPass());
    passes.run(module, analyses.modules);
  }
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(AnswerMarks());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.addPass(llvm::LoopVectorizePass(llvm::LoopVectorizeOptions(true, true)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::DSEPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      passes.run(function, analyses.functions);
    }
  }
}

} // namespace gantry::simt::amdgcn::lower
