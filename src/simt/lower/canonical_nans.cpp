#include "simt/lower/canonical_nans.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace gantry::simt::lower {

namespace {

// Instructions that make nothing of a NaN operand but a NaN.
bool is_arithmetic(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    return true;
  case Instruction::Call: {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || !call->getType()->isFloatingPointTy()) {
      return false;
    }
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::canonicalize:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::minimumnum:
    case llvm::Intrinsic::maximumnum:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
      return true;
    default:
      return false;
    }
  }
  default:
    return false;
  }
}

// The result of an operation in floating point (ScalarFunction::set): LLVM, which makes something
// else of NaNs when it computes with constants, leaves it alone.
bool is_result(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::canonicalize;
}

bool passes_on(const llvm::Instruction& instruction) {
  return (llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::SelectInst>(instruction)) &&
         instruction.getType()->isFloatingPointTy();
}

// A use whose result does not depend on which NaN it is.
bool is_indifferent(const llvm::Instruction& user, const llvm::DenseSet<llvm::Value*>& arithmetic) {
  if (arithmetic.contains(&user) || llvm::isa<llvm::FCmpInst>(user) || is_arithmetic(user)) {
    return true;
  }
  if (llvm::isa<llvm::FPToSIInst>(user) || llvm::isa<llvm::FPToUIInst>(user)) {
    return true;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
  return call != nullptr && (call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat ||
                             call->getIntrinsicID() == llvm::Intrinsic::fptoui_sat);
}

std::uint64_t canonical_nan(const llvm::Type& type) {
  return type.isFloatTy() ? 0x7FFFFFFF : type.isHalfTy() ? 0x7FFF : 0x7FF8000000000000;
}

} // namespace

void make_nans_canonical(llvm::Function& function) {
  // Results of arithmetic, and what only passes them and numbers on.
  llvm::DenseSet<llvm::Value*> arithmetic;
  llvm::SmallVector<llvm::Instruction*> passing;
  llvm::SmallVector<llvm::Instruction*> results;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_result(instruction)) {
      arithmetic.insert(&instruction);
      results.push_back(&instruction);
    } else if (passes_on(instruction)) {
      arithmetic.insert(&instruction);
      passing.push_back(&instruction);
    }
  }
  const auto is_number = [](const llvm::Value* value) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
    return constant != nullptr && !constant->isNaN();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Instruction* instruction : passing) {
      if (!arithmetic.contains(instruction)) {
        continue;
      }
      const unsigned first = llvm::isa<llvm::SelectInst>(instruction) ? 1 : 0;
      for (unsigned i = first; i < instruction->getNumOperands(); ++i) {
        llvm::Value* operand = instruction->getOperand(i);
        if (!arithmetic.contains(operand) && !is_number(operand)) {
          arithmetic.erase(instruction);
          changed = true;
          break;
        }
      }
    }
  }
  llvm::SmallVector<llvm::Use*> uses;
  for (llvm::Value* value : arithmetic) {
    for (llvm::Use& use : value->uses()) {
      if (!is_indifferent(*llvm::cast<llvm::Instruction>(use.getUser()), arithmetic)) {
        uses.push_back(&use);
      }
    }
  }
  for (llvm::Use* use : uses) {
    auto* user = llvm::cast<llvm::Instruction>(use->getUser());
    auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    llvm::IRBuilder<> builder(phi != nullptr ? phi->getIncomingBlock(*use)->getTerminator() : user);
    llvm::Value* value = use->get();
    auto* bits =
        builder.getIntNTy(static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits()));
    llvm::Value* chosen =
        builder.CreateSelect(builder.CreateFCmpUNO(value, value),
                             llvm::ConstantInt::get(bits, canonical_nan(*value->getType())),
                             builder.CreateBitCast(value, bits));
    if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(user)) {
      cast->replaceAllUsesWith(chosen);
      cast->eraseFromParent();
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      auto* whole = builder.CreateAlignedStore(chosen, store->getPointerOperand(),
                                               store->getAlign(), store->isVolatile());
      whole->copyMetadata(*store);
      if (store->isAtomic()) {
        whole->setAtomic(store->getOrdering());
      }
      store->eraseFromParent();
    } else {
      use->set(builder.CreateBitCast(chosen, value->getType()));
    }
  }
  for (llvm::Instruction* result : results) {
    result->replaceAllUsesWith(result->getOperand(0));
    result->eraseFromParent();
  }
}

} // namespace gantry::simt::lower
