#include "link/merged_values.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

/// Instructions that may become none.
bool may_cost_nothing(const llvm::Instruction& instruction) {
  if (const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    return call->doesNotAccessMemory();
  }
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::FreezeInst, llvm::UnaryOperator,
                   llvm::ExtractElementInst, llvm::InsertElementInst, llvm::ShuffleVectorInst>(
      instruction);
}

/// An annotation of an integer or a pointer, which is the value itself. It counts as an access to
/// memory, so that it stays in its block and is never merged with another one.
llvm::Value* annotated(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::PointerType* const text = builder.getPtrTy();
  llvm::Value* const none = llvm::ConstantPointerNull::get(text);
  if (value->getType()->isPointerTy()) {
    return builder.CreateIntrinsic(llvm::Intrinsic::ptr_annotation, {value->getType(), text},
                                   {value, none, none, builder.getInt32(0), none});
  }
  return builder.CreateIntrinsic(llvm::Intrinsic::annotation, {value->getType(), text},
                                 {value, none, none, builder.getInt32(0)});
}

/// The value as StructurizeCFG does not move it: it has an operand that its own block computes.
llvm::Value* hidden(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* const type = value->getType();
  if (type->isIntOrPtrTy()) {
    return annotated(builder, annotated(builder, value));
  }
  llvm::Type* const integer =
      builder.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
  return builder.CreateBitCast(annotated(builder, builder.CreateBitCast(value, integer)), type);
}

/// Whether hidden() has a way to: vectors of pointers have none.
bool can_be_hidden(const llvm::Type& type) {
  return type.isIntOrPtrTy() || type.isFloatingPointTy() ||
         (type.isVectorTy() && type.getPrimitiveSizeInBits().isNonZero());
}

} // namespace

void hide_merged_values(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      llvm::BasicBlock* const behind = block.getSingleSuccessor();
      if (behind == nullptr) {
        continue;
      }
      llvm::IRBuilder<> builder(block.getTerminator());
      for (llvm::PHINode& phi : behind->phis()) {
        // Also of other blocks: code generation moves instructions to where they are used.
        auto* const value = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(&block));
        if (value != nullptr && may_cost_nothing(*value) && can_be_hidden(*value->getType())) {
          phi.setIncomingValueForBlock(&block, hidden(builder, value));
        }
      }
    }
  }
}

} // namespace gantry::link
