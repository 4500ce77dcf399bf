#include "simt/lower/bit_selections.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace gantry::simt::lower {

namespace {

// Whether each bit is in one of two constants, as far as they are defined.
bool are_complements(const llvm::Constant* a, const llvm::Constant* b) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const auto* x = llvm::dyn_cast_or_null<llvm::ConstantInt>(a->getAggregateElement(lane));
    const auto* y = llvm::dyn_cast_or_null<llvm::ConstantInt>(b->getAggregateElement(lane));
    if (x != nullptr && y != nullptr && x->getValue() != ~y->getValue()) {
      return false;
    }
  }
  return true;
}

// A zero of the type that is not known to be one.
llvm::Value* hidden_zero(llvm::IRBuilder<>& builder, llvm::FixedVectorType* type) {
  auto* word = builder.getInt64Ty();
  auto* identity = llvm::FunctionType::get(word, {word}, false);
  llvm::Value* zero = builder.CreateCall(
      identity, llvm::InlineAsm::get(identity, "", "=r,0", /*hasSideEffects=*/false),
      {builder.getInt64(0)});
  return builder.CreateVectorSplat(type->getElementCount(),
                                   builder.CreateTrunc(zero, type->getElementType()));
}

} // namespace

void hide_bit_selections(llvm::Function& function) {
  using llvm::PatternMatch::m_And;
  using llvm::PatternMatch::m_Constant;
  using llvm::PatternMatch::m_Value;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
    const bool joins = instruction.getOpcode() == llvm::Instruction::Or ||
                       instruction.getOpcode() == llvm::Instruction::Xor ||
                       instruction.getOpcode() == llvm::Instruction::Add;
    if (!joins || type == nullptr || type->getScalarSizeInBits() > 64) {
      continue;
    }
    llvm::Constant* one = nullptr;
    llvm::Constant* other = nullptr;
    if (match(instruction.getOperand(0), m_And(m_Value(), m_Constant(one))) &&
        match(instruction.getOperand(1), m_And(m_Value(), m_Constant(other))) &&
        are_complements(one, other)) {
      auto* bits = llvm::cast<llvm::Instruction>(instruction.getOperand(0));
      llvm::IRBuilder<> builder(&instruction);
      instruction.setOperand(0,
                             builder.CreateAnd(bits->getOperand(0),
                                               builder.CreateXor(hidden_zero(builder, type), one)));
    }
  }
}

} // namespace gantry::simt::lower
