#include "simt/amdgcn/lower/block_functions.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

namespace gantry::simt::amdgcn::lower {

void end_lanes(llvm::IRBuilder<>& builder, llvm::PHINode& number, llvm::BasicBlock* before,
               llvm::BasicBlock* behind, llvm::MDNode* accesses) {
  llvm::LLVMContext& context = builder.getContext();
  llvm::Value* const next = builder.CreateAdd(&number, builder.getInt64(1), "", true, true);
  llvm::BranchInst* const back = builder.CreateCondBr(
      builder.CreateICmpEQ(next, builder.getInt64(kBlock)), behind, number.getParent());
  number.addIncoming(builder.getInt64(0), before);
  number.addIncoming(next, builder.GetInsertBlock());
  const auto hint = [&](const char* name, llvm::Constant* value) {
    return llvm::MDNode::get(
        context, {llvm::MDString::get(context, name), llvm::ConstantAsMetadata::get(value)});
  };
  llvm::Metadata* const parallel = llvm::MDNode::get(
      context, {llvm::MDString::get(context, "llvm.loop.parallel_accesses"), accesses});
  llvm::MDNode* const loop = llvm::MDNode::getDistinct(
      context, {nullptr, parallel, hint("llvm.loop.vectorize.enable", builder.getTrue()),
                hint("llvm.loop.vectorize.width", builder.getInt32(kBlock)),
                hint("llvm.loop.interleave.count", builder.getInt32(1))});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

llvm::Function* BlockFunctions::of(const LaneFunction& lane) {
  llvm::Function*& known = made_[lane.exact];
  if (known != nullptr) {
    return known;
  }
  llvm::Module& module = *lane.exact->getParent();
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Type* const values = llvm::FixedVectorType::get(builder.getInt64Ty(), kBlock);
  llvm::Type* const words = llvm::FixedVectorType::get(builder.getInt32Ty(), kBlock);
  llvm::Type* const bits = llvm::FixedVectorType::get(builder.getInt1Ty(), kBlock);
  llvm::StructType* const results = llvm::StructType::get(values, bits);
  known = llvm::Function::Create(
      llvm::FunctionType::get(results, {values, values, values, bits}, false),
      llvm::Function::InternalLinkage, "exact." + lane.exact->getName(), module);
  known->addFnAttr(llvm::Attribute::NoInline);
  known->setDoesNotThrow();
  auto* const entry = llvm::BasicBlock::Create(context, "entry", known);
  auto* const loop = llvm::BasicBlock::Create(context, "loop", known);
  auto* const done = llvm::BasicBlock::Create(context, "done", known);
  builder.SetInsertPoint(entry);
  const auto place = [&](llvm::Type* type) {
    llvm::AllocaInst* const made = builder.CreateAlloca(llvm::ArrayType::get(type, kBlock));
    made->setAlignment(llvm::Align(64));
    return made;
  };
  llvm::Value* places[3];
  for (unsigned i = 0; i < 3; ++i) {
    places[i] = place(builder.getInt64Ty());
  }
  llvm::Value* const mask = place(builder.getInt32Ty());
  llvm::Value* const made = place(builder.getInt64Ty());
  llvm::Value* const made_mask = place(builder.getInt32Ty());
  for (unsigned i = 0; i < 3; ++i) {
    builder.CreateStore(known->getArg(i), places[i]);
  }
  builder.CreateStore(builder.CreateSExt(known->getArg(3), words), mask);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* const number = builder.CreatePHI(builder.getInt64Ty(), 2);
  llvm::MDNode* const accesses = llvm::MDNode::getDistinct(context, {});
  const auto element = [&](llvm::Type* type, llvm::Value* of) {
    return builder.CreateInBoundsGEP(type, of, {number});
  };
  const auto load = [&](llvm::Type* type, llvm::Value* of) {
    llvm::LoadInst* const loaded = builder.CreateLoad(type, element(type, of));
    loaded->setMetadata(llvm::LLVMContext::MD_access_group, accesses);
    return loaded;
  };
  const auto store = [&](llvm::Value* value, llvm::Value* to) {
    builder.CreateStore(value, element(value->getType(), to))
        ->setMetadata(llvm::LLVMContext::MD_access_group, accesses);
  };
  llvm::SmallVector<llvm::Value*, 4> arguments;
  for (llvm::Value* source : places) {
    arguments.push_back(load(builder.getInt64Ty(), source));
  }
  arguments.push_back(builder.CreateICmpNE(load(builder.getInt32Ty(), mask), builder.getInt32(0)));
  llvm::CallInst* const result = builder.CreateCall(lane.exact, arguments);
  store(builder.CreateExtractValue(result, 0), made);
  store(builder.CreateSExt(
            builder.CreateTrunc(builder.CreateExtractValue(result, 1), builder.getInt1Ty()),
            builder.getInt32Ty()),
        made_mask);
  end_lanes(builder, *number, entry, done, accesses);
  builder.SetInsertPoint(done);
  llvm::Value* whole = llvm::PoisonValue::get(results);
  whole = builder.CreateInsertValue(whole, builder.CreateLoad(values, made), 0);
  whole = builder.CreateInsertValue(whole,
                                    builder.CreateICmpNE(builder.CreateLoad(words, made_mask),
                                                         llvm::Constant::getNullValue(words)),
                                    1);
  builder.CreateRet(whole);
  return known;
}

} // namespace gantry::simt::amdgcn::lower
