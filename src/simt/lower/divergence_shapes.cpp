// Which values are uniform, affine or varying: by how they are computed, instruction by
// instruction, until nothing changes.
#include "simt/lower/divergence.h"

#include "simt/lower/lane_loops.h"
#include "simt/lower/operations.h"
#include "simt/ptx/module.h"

#include <algorithm>
#include <cstdlib>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

namespace gantry::simt::lower {

namespace {

using Kind = Shape::Kind;

Shape joined(Shape a, Shape b) {
  if (a.kind == Kind::kUnknown) {
    return b;
  }
  if (b.kind == Kind::kUnknown || a == b) {
    return a;
  }
  if (a.is_affine() && b.is_affine() && a.stride == b.stride &&
      a.has_row_stride == b.has_row_stride) {
    return Shape::affine(a.stride, true, a.has_row_stride);
  }
  if (a.is_uniform() && b.is_affine()) {
    return Shape::affine(b.stride, true, b.has_row_stride);
  }
  return a.is_affine() && b.is_uniform() ? joined(b, a) : Shape::varying();
}

/// Of a value that is one or the other of two for all lanes that execute it: what is affine in one
/// case is guarded, so that it is accessed as such while that is the case.
Shape chosen(Shape a, Shape b) {
  if (a.is_varying() && b.is_affine()) {
    return Shape::affine(b.stride, true, b.has_row_stride);
  }
  return a.is_affine() && b.is_varying() ? chosen(b, a) : joined(a, b);
}

} // namespace

Shape DivergenceAnalysis::shape(const llvm::Value* value) const {
  if (one_lane_ || llvm::isa<llvm::Constant>(value)) {
    return Shape::uniform();
  }
  if (llvm::isa<llvm::Argument>(value)) {
    return Shape::varying();
  }
  return shapes_.lookup(value);
}

void DivergenceAnalysis::compute_shapes() {
  shapes_.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock* block : order_) {
      for (const llvm::Instruction& instruction : *block) {
        if (instruction.getType()->isVoidTy()) {
          continue;
        }
        const Shape now = compute(instruction);
        Shape& known = shapes_[&instruction];
        const Shape next = joined(known, now);
        if (!(next == known)) {
          known = next;
          changed = true;
        }
      }
    }
  }
}

Shape DivergenceAnalysis::compute(const llvm::Instruction& instruction) const {
  using llvm::Instruction;
  const auto operand = [&](unsigned index) { return shape(instruction.getOperand(index)); };
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    // Even with one incoming value: lanes that leave a loop in different iterations have different
    // values.
    if (divergent_joins_.contains(phi->getParent()) &&
        !llvm::isa_and_nonnull<llvm::Constant>(phi->hasConstantValue())) {
      return Shape::varying();
    }
    Shape result;
    const llvm::Loop* const loop = loops_.getLoopFor(phi->getParent());
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      const Shape next = shape(phi->getIncomingValue(i));
      // What every further iteration makes anew is not worth a guard.
      const bool again = loop != nullptr && loop->getHeader() == phi->getParent() &&
                         loop->contains(phi->getIncomingBlock(i));
      if (again && next.is_varying()) {
        return next;
      }
      result = chosen(result, next);
    }
    return result;
  }
  for (const llvm::Value* value : instruction.operands()) {
    if (shape(value).kind == Kind::kUnknown && !llvm::isa<llvm::BasicBlock>(value) &&
        !llvm::isa<llvm::Function>(value)) {
      return {};
    }
  }
  const auto constant = [&](unsigned index) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(index));
    return number != nullptr && number->getBitWidth() <= 64 ? number : nullptr;
  };
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub: {
    const Shape a = operand(0);
    const Shape b = operand(1);
    if (a.is_varying() || b.is_varying()) {
      return Shape::varying();
    }
    const std::int64_t stride =
        instruction.getOpcode() == Instruction::Add ? a.stride + b.stride : a.stride - b.stride;
    return Shape::affine(stride, a.guarded || b.guarded, a.has_row_stride || b.has_row_stride);
  }
  case Instruction::Mul: {
    for (unsigned i = 0; i < 2; ++i) {
      const Shape of = operand(i);
      if (of.is_affine() && constant(1 - i) != nullptr) {
        std::int64_t stride = 0;
        if (!llvm::MulOverflow(of.stride, constant(1 - i)->getSExtValue(), stride)) {
          return Shape::affine(stride, of.guarded, of.has_row_stride);
        }
      }
      if (of.is_affine() && of.stride == 0 && operand(1 - i).is_uniform()) {
        return of;
      }
    }
    break;
  }
  case Instruction::Shl:
    // Up to 32 bits: a number of 32 bits is sign-extended by a shift up and one down.
    if (operand(0).is_affine() && constant(1) != nullptr && constant(1)->getZExtValue() <= 32 &&
        std::abs(operand(0).stride) < 1 << 20) {
      return Shape::affine(operand(0).stride << constant(1)->getZExtValue(), operand(0).guarded,
                           operand(0).has_row_stride);
    }
    break;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: {
    constexpr std::int64_t kLargest = 1 << 16;
    const Shape of = operand(0);
    const bool divides = instruction.getOpcode() == Instruction::UDiv ||
                         instruction.getOpcode() == Instruction::SDiv;
    if (of.is_affine() && !of.has_row_stride && of.stride > 0 && of.stride <= kLargest &&
        operand(1).is_uniform() && instruction.getType()->getIntegerBitWidth() >= 32 &&
        exec::row_width(geometry_) == exec::kLanes) {
      return Shape::affine(divides ? 0 : of.stride, true);
    }
    break;
  }
  case Instruction::Or:
    // Disjoint bits (a known alignment of the affine side would say more): only as an addition.
    if (llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) {
      const Shape a = operand(0);
      const Shape b = operand(1);
      // Disjoint in the lanes that execute it; lane 0 may not, so the base would be wrong.
      if (a.is_uniform() && b.is_uniform()) {
        return Shape::uniform();
      }
      return Shape::varying();
    }
    break;
  case Instruction::AShr:
    if (operand(0).is_affine() && !operand(0).has_row_stride && constant(1) != nullptr &&
        instruction.isExact() && constant(1)->getZExtValue() <= 32 &&
        operand(0).stride % (std::int64_t{1} << constant(1)->getZExtValue()) == 0) {
      return Shape::affine(operand(0).stride >> constant(1)->getZExtValue(), true);
    }
    break;
  case Instruction::Trunc:
  case Instruction::Freeze:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::BitCast:
    if (operand(0).is_affine() && !instruction.getType()->isFloatingPointTy()) {
      return operand(0);
    }
    break;
  case Instruction::ZExt:
  case Instruction::SExt:
    if (operand(0).is_affine() &&
        instruction.getOperand(0)->getType()->getIntegerBitWidth() >= 16) {
      return Shape::affine(operand(0).stride, true, operand(0).has_row_stride);
    }
    break;
  case Instruction::GetElementPtr: {
    // The one-lane form has byte offsets only (i8 elements).
    const auto& address = llvm::cast<llvm::GetElementPtrInst>(instruction);
    Shape result = operand(0);
    llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> scaled;
    llvm::APInt offset(64, 0);
    if (!address.collectOffset(function_.getDataLayout(), 64, scaled, offset)) {
      return Shape::varying();
    }
    for (const auto& [index, scale] : scaled) {
      const Shape part = shape(index);
      if (part.is_varying() || result.is_varying() ||
          (part.is_affine() && index->getType()->getIntegerBitWidth() != 64)) {
        return Shape::varying();
      }
      if (part.is_affine() || result.is_affine()) {
        std::int64_t step = 0;
        if (llvm::MulOverflow(part.stride, scale.getSExtValue(), step) ||
            llvm::AddOverflow(result.stride, step, step)) {
          return Shape::varying();
        }
        result = Shape::affine(step, result.guarded || part.guarded,
                               result.has_row_stride || part.has_row_stride);
      }
    }
    return result;
  }
  case Instruction::Select:
    if (operand(0).is_uniform() && (operand(1).is_affine() || operand(2).is_affine()) &&
        !instruction.getType()->isFloatingPointTy()) {
      return chosen(operand(1), operand(2));
    }
    break;
  case Instruction::Load: {
    const auto& load = llvm::cast<llvm::LoadInst>(instruction);
    // One load for all lanes that execute it together; a lane's own memory is another in each.
    const unsigned space = load.getPointerAddressSpace();
    const bool own = space == kLocal || (space == kGeneric && local_addresses_);
    return operand(0).is_uniform() && !own ? Shape::uniform() : Shape::varying();
  }
  case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
    return Shape::varying();
  case Instruction::Alloca:
    return Shape::uniform(); // an offset in the lane's window
  case Instruction::Call:
    if (operation_of(instruction)) {
      return compute_operation(llvm::cast<llvm::CallInst>(instruction));
    }
    if (called_lane_loop(instruction) != nullptr) {
      return Shape::varying();
    }
    break;
  default:
    break;
  }
  for (const llvm::Value* value : instruction.operands()) {
    if (!shape(value).is_uniform() && !llvm::isa<llvm::Function>(value)) {
      return Shape::varying();
    }
  }
  return Shape::uniform();
}

Shape DivergenceAnalysis::compute_operation(const llvm::CallInst& call) const {
  const auto uniform_arguments = [&](unsigned from) {
    for (unsigned i = from; i < call.arg_size(); ++i) {
      if (!shape(call.getArgOperand(i)).is_uniform()) {
        return false;
      }
    }
    return true;
  };
  switch (*operation_of(call)) {
  case LaneOperation::kSpecial: {
    using ptx::SpecialRegister;
    const bool general = geometry_ == exec::Geometry::kGeneral;
    const bool rows = exec::row_width(geometry_) < exec::kLanes;
    switch (static_cast<SpecialRegister>(
        llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue())) {
    case SpecialRegister::kTidX:
      return general ? Shape::varying() : Shape::affine(1, false);
    case SpecialRegister::kTidY:
      return general ? Shape::varying() : Shape::affine(0, false, rows);
    case SpecialRegister::kTidZ:
      return general ? Shape::varying() : Shape::uniform();
    case SpecialRegister::kLaneid:
      return Shape::affine(1, false, rows);
    case SpecialRegister::kLanemaskEq:
    case SpecialRegister::kLanemaskLe:
    case SpecialRegister::kLanemaskLt:
    case SpecialRegister::kLanemaskGe:
    case SpecialRegister::kLanemaskGt:
      return Shape::varying();
    default:
      return Shape::uniform();
    }
  }
  case LaneOperation::kLocalBase:
  case LaneOperation::kLocalOffset:
  case LaneOperation::kMatchAny:
  case LaneOperation::kMatchAll:
  case LaneOperation::kMatrix:
  case LaneOperation::kSystemCall:
  case LaneOperation::kAsync:
  case LaneOperation::kAsyncWait:
  case LaneOperation::kIndirectCall:
  case LaneOperation::kDirectCall:
  case LaneOperation::kShuffleValid:
    return Shape::varying();
  case LaneOperation::kShuffle: {
    // From one lane to all: its value is everybody's.
    const auto* mode = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0));
    const auto* clamp = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3));
    const bool broadcast = static_cast<ShuffleMode>(mode->getZExtValue()) == ShuffleMode::kIndex &&
                           clamp != nullptr && clamp->getZExtValue() == 31 &&
                           shape(call.getArgOperand(2)).is_uniform() &&
                           shape(call.getArgOperand(4)).is_uniform();
    return broadcast || uniform_arguments(1) ? Shape::uniform() : Shape::varying();
  }
  case LaneOperation::kVoteBallot:
    return shape(call.getArgOperand(1)).is_uniform() ? Shape::uniform() : Shape::varying();
  case LaneOperation::kRedux:
    return shape(call.getArgOperand(2)).is_uniform() ? Shape::uniform() : Shape::varying();
  case LaneOperation::kBarrier:
  case LaneOperation::kActiveMask:
  case LaneOperation::kClock:
  case LaneOperation::kGlobalTimer:
  case LaneOperation::kStackSave:
  case LaneOperation::kAlloca:
    return Shape::uniform();
  default:
    return uniform_arguments(0) ? Shape::uniform() : Shape::varying();
  }
}

} // namespace gantry::simt::lower
