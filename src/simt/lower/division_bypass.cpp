#include "simt/lower/division_bypass.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace gantry::simt::lower {

namespace {

using namespace llvm::PatternMatch;

constexpr std::uint64_t kSmall = std::uint64_t{1} << 32;

/// Whether a condition is that a number, which may have come from `number` by a change of its
/// width, is zero or -1.
bool asks_for(llvm::Value* condition, llvm::Value* number) {
  llvm::Value* asked = nullptr;
  const auto special = m_CombineOr(m_Zero(), m_AllOnes());
  if (!match(condition, m_SpecificICmp(llvm::ICmpInst::ICMP_EQ, m_Value(asked), special))) {
    return false;
  }
  return asked == number || match(number, m_ZExtOrSExt(m_Specific(asked))) ||
         match(number, m_Trunc(m_Specific(asked))) || match(asked, m_Trunc(m_Specific(number)));
}

/// A divisor without what keeps it from being zero or -1.
llvm::Value* plain_divisor(llvm::Value* value) {
  llvm::Value* condition = nullptr;
  llvm::Value* inner = nullptr;
  while (match(value, m_UMax(m_Value(inner), m_One())) ||
         (match(value, m_Select(m_Value(condition), m_One(), m_Value(inner))) &&
          asks_for(condition, plain_divisor(inner)))) {
    value = inner;
  }
  return value;
}

/// A quotient or remainder without what stands in its place for such a divisor: -1, which is as
/// good as any quotient by zero (PTX ISA, div), or the negative of that by 1.
llvm::BinaryOperator* plain_division(llvm::Value* value) {
  llvm::SmallVector<llvm::Value*, 2> conditions;
  llvm::Value *condition = nullptr, *instead = nullptr, *inner = nullptr;
  while (match(value, m_Select(m_Value(condition), m_Value(instead), m_Value(inner))) &&
         (match(instead, m_AllOnes()) || match(instead, m_Neg(m_Specific(inner))))) {
    conditions.push_back(condition);
    value = inner;
  }
  auto* const division = llvm::dyn_cast<llvm::BinaryOperator>(value);
  if (division == nullptr || !division->isIntDivRem()) {
    return nullptr;
  }
  llvm::Value* const by = plain_divisor(division->getOperand(1));
  const bool all_ask =
      llvm::all_of(conditions, [&](llvm::Value* each) { return asks_for(each, by); });
  return all_ask ? division : nullptr;
}

bool divides(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::UDiv ||
         division.getOpcode() == llvm::Instruction::SDiv;
}

/// Whether the block is one of two ways from one block to another, and does nothing but compute.
bool is_way(const llvm::BasicBlock& block) {
  return block.getSinglePredecessor() != nullptr && block.getSingleSuccessor() != nullptr &&
         llvm::all_of(block, [](const llvm::Instruction& instruction) {
           return instruction.isTerminator() ||
                  (!instruction.mayHaveSideEffects() && !instruction.mayReadFromMemory() &&
                   !llvm::isa<llvm::PHINode>(instruction));
         });
}

/// Whether `value`, which comes by the short way where `small` is less than 2^32, is `other`, which
/// comes by the long way.
bool is_short_cut(llvm::Value* value, llvm::Value* other, llvm::Value* small) {
  llvm::Value* narrow = nullptr;
  if (!match(value, m_ZExt(m_Value(narrow))) || !narrow->getType()->isIntegerTy(32)) {
    return false;
  }
  const llvm::BinaryOperator* const brief = plain_division(narrow);
  const llvm::BinaryOperator* const whole = plain_division(other);
  if (brief == nullptr || whole == nullptr || !whole->getType()->isIntegerTy(64) ||
      divides(*brief) != divides(*whole) ||
      (brief->getOpcode() != llvm::Instruction::UDiv &&
       brief->getOpcode() != llvm::Instruction::URem)) {
    return false;
  }
  llvm::Value* const number = whole->getOperand(0);
  llvm::Value* const by = plain_divisor(whole->getOperand(1));
  llvm::Value* const brief_by = plain_divisor(brief->getOperand(1));
  const bool same_number = match(brief->getOperand(0), m_Trunc(m_Specific(number)));
  const bool same_divisor =
      match(brief_by, m_Trunc(m_Specific(by))) || match(by, m_ZExtOrSExt(m_Specific(brief_by)));
  const bool both_are_small = match(small, m_c_Or(m_Specific(number), m_Specific(by))) ||
                              (small == number && match(by, m_ZExt(m_Specific(brief_by))));
  return same_number && same_divisor && both_are_small;
}

bool undo(llvm::BasicBlock& block) {
  auto* const branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  llvm::Value* small = nullptr;
  if (branch == nullptr || !branch->isConditional() ||
      !match(branch->getCondition(),
             m_SpecificICmp(llvm::ICmpInst::ICMP_ULT, m_Value(small), m_SpecificInt(kSmall)))) {
    return false;
  }
  llvm::BasicBlock* const short_way = branch->getSuccessor(0);
  llvm::BasicBlock* const long_way = branch->getSuccessor(1);
  if (!is_way(*short_way) || !is_way(*long_way) ||
      short_way->getSingleSuccessor() != long_way->getSingleSuccessor()) {
    return false;
  }
  for (const llvm::PHINode& phi : long_way->getSingleSuccessor()->phis()) {
    llvm::Value* const by_short_way = phi.getIncomingValueForBlock(short_way);
    llvm::Value* const by_long_way = phi.getIncomingValueForBlock(long_way);
    if (by_short_way != by_long_way && !is_short_cut(by_short_way, by_long_way, small)) {
      return false;
    }
  }
  branch->setCondition(llvm::ConstantInt::getFalse(block.getContext()));
  return true;
}

} // namespace

llvm::PreservedAnalyses UndoDivisionBypass::run(llvm::Function& function,
                                                llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    changed |= undo(block);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace gantry::simt::lower
