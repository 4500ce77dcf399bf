#include "pass/reductions.h"

#include "pass/runtime_calls.h"
#include "pass/translation.h"

#include <algorithm>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace gantry::pass {
namespace {

/// Stores of what a shuffle has moved in place of a narrower number.
std::vector<llvm::StoreInst*> wide_stores(llvm::Function& function) {
  std::vector<llvm::StoreInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store != nullptr && name_of_callee(*store->getValueOperand()) == "__kmpc_shuffle_int32" &&
        llvm::isa<llvm::SExtInst>(
            llvm::cast<llvm::CallInst>(store->getValueOperand())->getArgOperand(0))) {
      found.push_back(store);
    }
  }
  return found;
}

void store_elements_alone(llvm::Function& function) {
  for (llvm::StoreInst* store : wide_stores(function)) {
    auto* const moved = llvm::cast<llvm::CallInst>(store->getValueOperand());
    auto* const widened = llvm::cast<llvm::SExtInst>(moved->getArgOperand(0));
    llvm::IRBuilder<> builder(store);
    llvm::Value* const element = builder.CreateTrunc(moved, widened->getSrcTy());
    builder.CreateStore(element, store->getPointerOperand());
    store->eraseFromParent();
  }
}

/// The least alignment that the types of a list's variables ask for: of what the function has other
/// threads' values in.
llvm::Align least_alignment(const llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  llvm::Align least(16);
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const auto* const variable =
        store == nullptr
            ? nullptr
            : llvm::dyn_cast<llvm::AllocaInst>(store->getValueOperand()->stripPointerCasts());
    if (variable != nullptr) {
      least = std::min(least, layout.getABITypeAlign(variable->getAllocatedType()));
    }
  }
  return least;
}

/// Lowers what accesses of the variables claim.
void align_accesses(llvm::Function& function, llvm::Align most) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!load->getType()->isPointerTy() && load->getPointerAddressSpace() != kSharedSpace) {
        load->setAlignment(std::min(load->getAlign(), most));
      }
    } else if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (!store->getValueOperand()->getType()->isPointerTy() &&
          store->getPointerAddressSpace() != kSharedSpace) {
        store->setAlignment(std::min(store->getAlign(), most));
      }
    } else if (auto* const copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
      copy->setDestAlignment(std::min(copy->getDestAlign().valueOrOne(), most));
      copy->setSourceAlignment(std::min(copy->getSourceAlign().valueOrOne(), most));
    }
  }
}

bool moves_values(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return name_of_callee(instruction).starts_with("__kmpc_shuffle_int");
  });
}

} // namespace

llvm::PreservedAnalyses Reductions::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (!is_device_module(module) || !is_gpu_module(module)) {
    return llvm::PreservedAnalyses::all();
  }
  for (const char* name : kReduceCalls) {
    const llvm::Function* const reduce = module.getFunction(name);
    if (reduce == nullptr) {
      continue;
    }
    for (const llvm::User* user : reduce->users()) {
      std::vector<llvm::Function*> parts;
      llvm::Align least(16);
      for (llvm::Value* operand : user->operands()) {
        auto* const part = llvm::dyn_cast<llvm::Function>(operand);
        if (part == nullptr || part == reduce || part->isDeclaration()) {
          continue;
        }
        parts.push_back(part);
        if (moves_values(*part)) {
          store_elements_alone(*part);
          least = least_alignment(*part);
        }
      }
      for (llvm::Function* part : parts) {
        align_accesses(*part, least);
      }
    }
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace gantry::pass
