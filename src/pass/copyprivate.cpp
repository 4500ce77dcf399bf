#include "pass/copyprivate.h"

#include "pass/shared_variable.h"
#include "pass/translation.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::pass {
namespace {

constexpr unsigned kListArgument = 3;

using Variables = llvm::SetVector<llvm::AllocaInst*>;

/// Every value that is stored into the list, through the address of any element.
void collect_list(llvm::AllocaInst& list, Variables& variables) {
  llvm::SmallVector<llvm::Value*> places = {&list};
  while (!places.empty()) {
    for (llvm::User* user : places.pop_back_val()->users()) {
      if (llvm::isa<llvm::GetElementPtrInst>(user) || llvm::isa<llvm::AddrSpaceCastInst>(user)) {
        places.push_back(user);
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        auto* item =
            llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getValueOperand()));
        if (item != nullptr) {
          variables.insert(item);
        }
      }
    }
  }
  variables.insert(&list);
}

} // namespace

llvm::PreservedAnalyses CopyPrivate::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const llvm::Function* const copyprivate = module.getFunction("__kmpc_copyprivate");
  if (copyprivate == nullptr || !is_device_module(module) || !is_gpu_module(module)) {
    return llvm::PreservedAnalyses::all();
  }
  Variables variables;
  for (const llvm::User* user : copyprivate->users()) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call != nullptr && call->getCalledFunction() == copyprivate) {
      auto* list = llvm::dyn_cast<llvm::AllocaInst>(
          llvm::getUnderlyingObject(call->getArgOperand(kListArgument)));
      if (list != nullptr) {
        collect_list(*list, variables);
      }
    }
  }
  for (llvm::AllocaInst* variable : variables) {
    share(*variable, *variable, returns_of(*variable->getFunction()));
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace gantry::pass
