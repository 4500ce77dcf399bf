#include "pass/shared_variable.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace gantry::pass {

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
  // What the optimiser may put in its place is aligned so.
  place->addRetAttr(llvm::Attribute::getWithAlignment(module.getContext(), variable.getAlign()));
  variable.replaceAllUsesWith(place);
  variable.eraseFromParent();
  const llvm::DominatorTree order(*place->getFunction());
  for (llvm::Instruction* end : ends) {
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
