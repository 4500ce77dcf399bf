#include "pass/indirect_calls.h"

#include "pass/device_pointers.h"
#include "pass/translation.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MustExecute.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace gantry::pass {

namespace {

/// Places the translations of one function, as few as possible.
class Translations {
public:
  Translations(const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops)
      : dominators_(dominators), loops_(loops) {}

  /// The pointer through which `call` is made, translated.
  llvm::Value* of_callee(llvm::CallBase& call) {
    llvm::Value* pointer = call.getCalledOperand();
    auto& made = made_[pointer];
    for (llvm::Value* translation : made) {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(translation);
      if (instruction == nullptr || dominators_.dominates(instruction, &call)) {
        return translation;
      }
    }
    llvm::IRBuilder<> builder(place_for(call, pointer));
    builder.SetCurrentDebugLocation(call.getDebugLoc());
    made.push_back(make_translation(builder, pointer));
    return made.back();
  }

private:
  /// Before the call, or before the outermost loop in which the pointer is invariant and the call
  /// is certainly executed.
  llvm::Instruction* place_for(llvm::CallBase& call, const llvm::Value* pointer) {
    llvm::Instruction* place = &call;
    for (llvm::Loop* loop = loops_.getLoopFor(call.getParent());
         loop != nullptr && loop->isLoopInvariant(pointer); loop = loop->getParentLoop()) {
      llvm::SimpleLoopSafetyInfo safety;
      safety.computeLoopSafetyInfo(loop);
      llvm::BasicBlock* before = loop->getLoopPreheader();
      if (before == nullptr || !safety.isGuaranteedToExecute(*place, &dominators_, loop)) {
        break;
      }
      place = before->getTerminator();
    }
    return place;
  }

  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  llvm::DenseMap<llvm::Value*, llvm::SmallVector<llvm::Value*, 1>> made_;
};

} // namespace

llvm::PreservedAnalyses IndirectCalls::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses) {
  const llvm::Module& module = *function.getParent();
  const Place wanted = is_gpu_module(module) ? Place::kBeforeLink : Place::kLast;
  if (!is_device_module(module) || place_ != wanted) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::SmallVector<llvm::CallBase*> calls;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->isIndirectCall() &&
          !is_device_pointer(call->getCalledOperand())) {
        calls.push_back(call);
      }
    }
  }
  if (calls.empty()) {
    return llvm::PreservedAnalyses::all();
  }
  Translations translations(analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                            analyses.getResult<llvm::LoopAnalysis>(function));
  for (llvm::CallBase* call : calls) {
    call->setCalledOperand(translations.of_callee(*call));
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace gantry::pass
