#include "pass/shared_variable.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace gantry::pass {
namespace {

/// The ends (stackrestore) of the innermost scope that a stacksave opens around `place`; none if
/// there is no such scope.
llvm::SmallVector<llvm::Instruction*> ends_of_scope(const llvm::Instruction& place,
                                                    const llvm::DominatorTree& order) {
  const llvm::Instruction* begin = nullptr;
  llvm::SmallVector<llvm::Instruction*> ends;
  for (const llvm::Instruction& instruction : llvm::instructions(*place.getFunction())) {
    const auto* save = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (save == nullptr || save->getIntrinsicID() != llvm::Intrinsic::stacksave ||
        !order.dominates(save, &place) || (begin != nullptr && !order.dominates(begin, save))) {
      continue;
    }
    llvm::SmallVector<llvm::Instruction*> behind;
    for (const llvm::User* user : save->users()) {
      const auto* restore = llvm::dyn_cast<llvm::IntrinsicInst>(user);
      if (restore != nullptr && order.dominates(&place, restore)) {
        behind.push_back(const_cast<llvm::IntrinsicInst*>(restore));
      }
    }
    if (!behind.empty()) {
      begin = save;
      ends = behind;
    }
  }
  return ends;
}

/// Where local variables have an address space of their own, on AMD's GPUs, Clang casts a
/// variable's address once and uses the result alone.
void replace_variable(llvm::AllocaInst& variable, llvm::Value& place) {
  for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
    auto* const cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(user);
    if (cast != nullptr && cast->getType() == place.getType()) {
      cast->replaceAllUsesWith(&place);
      cast->eraseFromParent();
    }
  }
  variable.replaceAllUsesWith(&place);
  variable.eraseFromParent();
}

} // namespace

void share(llvm::AllocaInst& variable, llvm::Instruction& begin,
           llvm::ArrayRef<llvm::Instruction*> ends) {
  llvm::Module& module = *variable.getModule();
  llvm::IRBuilder<> builder(variable.isStaticAlloca() ? &begin : &variable);
  auto* number = builder.getInt64Ty();
  llvm::Value* const bytes = builder.CreateMul(
      builder.CreateIntCast(variable.getArraySize(), number, /*isSigned=*/false),
      builder.getInt64(module.getDataLayout().getTypeAllocSize(variable.getAllocatedType())));
  const llvm::FunctionCallee take =
      module.getOrInsertFunction("__kmpc_alloc_shared", builder.getPtrTy(), number);
  const llvm::FunctionCallee give = module.getOrInsertFunction(
      "__kmpc_free_shared", builder.getVoidTy(), builder.getPtrTy(), number);
  for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
    if (auto* marker = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user)) {
      marker->eraseFromParent();
    }
  }
  llvm::CallInst* place = builder.CreateCall(take, bytes);
  // The optimiser may replace the allocation by a shared variable, which needs this alignment.
  place->addRetAttr(llvm::Attribute::getWithAlignment(module.getContext(), variable.getAlign()));
  replace_variable(variable, *place);
  const llvm::DominatorTree order(*place->getFunction());
  const llvm::SmallVector<llvm::Instruction*> of_scope = ends_of_scope(*place, order);
  for (llvm::Instruction* end : of_scope.empty() ? ends : of_scope) {
    if (order.dominates(place, end)) {
      builder.SetInsertPoint(end);
      builder.CreateCall(give, {place, bytes});
    }
  }
}

llvm::SmallVector<llvm::Instruction*> returns_of(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*> returns;
  for (llvm::BasicBlock& block : function) {
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
      returns.push_back(block.getTerminator());
    }
  }
  return returns;
}

} // namespace gantry::pass
