// Affine values of a warp: computed for lane 0, with a guard where that need not hold for the other
// lanes (divergence.h).
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace gantry::simt::lower {

using exec::kLanes;

WarpFunction::WarpValue WarpFunction::as_guarded(const Value* value, const Shape& wanted) {
  const Shape of = shape(value);
  WarpValue made = warp_value(value);
  if (of.is_affine() && of.stride == wanted.stride) {
    made.guard = made.guard == nullptr ? builder_.getTrue() : made.guard;
    made.correction = correction_of_operand(value);
    made.row_stride = wanted.has_row_stride ? row_stride_of_operand(value) : nullptr;
    return made;
  }
  // Any base will do where it is not used. Lanes that are not active have no value.
  Value* const lanes = vector(value);
  if (!of.is_uniform()) {
    made.scalar = builder_.CreateFreeze(builder_.CreateExtractElement(lanes, first_lane()));
  }
  made.vector = nullptr;
  made.guard = builder_.getFalse();
  made.row_stride =
      wanted.has_row_stride ? llvm::Constant::getNullValue(made.scalar->getType()) : nullptr;
  made.correction = builder_.CreateSub(lanes, lanes_from(made.scalar, nullptr, wanted.stride));
  return made;
}

WarpFunction::WarpValue WarpFunction::selected(const llvm::SelectInst& select) {
  const Shape of = shape(&select);
  Value* const condition = scalar(select.getCondition());
  const WarpValue yes = as_guarded(select.getTrueValue(), of);
  const WarpValue no = as_guarded(select.getFalseValue(), of);
  const auto choose = [&](Value* a, Value* b) -> Value* {
    return a == nullptr ? nullptr : builder_.CreateSelect(condition, a, b);
  };
  WarpValue made;
  made.scalar = choose(yes.scalar, no.scalar);
  made.row_stride = choose(yes.row_stride, no.row_stride);
  if (of.guarded) {
    made.guard = choose(yes.guard, no.guard);
    made.correction = choose(yes.correction, no.correction);
  }
  return made;
}

// Good if no lane's remainder passes the divisor. Negative numbers are left to each lane.
WarpFunction::WarpValue WarpFunction::divided(const llvm::BinaryOperator& division) {
  const bool is_signed = division.getOpcode() == llvm::Instruction::SDiv ||
                         division.getOpcode() == llvm::Instruction::SRem;
  const bool divides = division.getOpcode() == llvm::Instruction::SDiv ||
                       division.getOpcode() == llvm::Instruction::UDiv;
  const WarpValue of = warp_value(division.getOperand(0));
  const Shape of_shape = shape(division.getOperand(0));
  Type* const type = division.getType();
  const auto constant = [&](std::int64_t value) {
    return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(value), true);
  };
  Value* base = builder_.CreateFreeze(of.scalar);
  Value* const divisor = scalar(division.getOperand(1));
  Value* by = divisor;
  Value* good = of.guard == nullptr ? builder_.getTrue() : of.guard;
  if (is_signed) {
    Value* const positive = builder_.CreateAnd(builder_.CreateICmpSGE(base, constant(0)),
                                               builder_.CreateICmpSGT(by, constant(0)));
    good = builder_.CreateAnd(good, positive);
    base = builder_.CreateSelect(positive, base, constant(0));
    by = builder_.CreateSelect(positive, by, constant(1));
  }
  Value* const reach = constant(of_shape.stride * (kLanes - 1));
  Value* const quotient = builder_.CreateUDiv(base, by);
  Value* const remainder = builder_.CreateSub(base, builder_.CreateMul(quotient, by));
  Value* const last = builder_.CreateAdd(remainder, reach);
  Value* const end = builder_.CreateAdd(base, reach);
  good = builder_.CreateAnd(good, builder_.CreateICmpUGE(last, remainder));
  good = builder_.CreateAnd(good, builder_.CreateICmpULT(last, by));
  good = builder_.CreateAnd(good, is_signed ? builder_.CreateICmpSGE(end, constant(0))
                                            : builder_.CreateICmpUGE(end, base));
  WarpValue made;
  made.scalar = divides ? quotient : remainder;
  made.guard = good;
  made.correction = two_ways(
      good, [&]() -> Value* { return llvm::Constant::getNullValue(vector_type(type)); },
      [&]() -> Value* {
        Value* lanes = lanes_from(here(of.scalar), nullptr, of_shape.stride);
        lanes = of.correction == nullptr ? lanes : builder_.CreateAdd(lanes, of.correction);
        // That the divisor is good is known of the lanes that execute this, and only of them.
        Value* const divisors =
            builder_.CreateSelect(lane_mask(), splat(divisor), splat(constant(1)));
        Value* const exact = build_plain(division, {lanes, divisors}, true);
        return builder_.CreateSub(exact, lanes_from(made.scalar, nullptr, shape(&division).stride));
      });
  return made;
}

namespace {

/// Whether the instruction gives numbers of fewer bits more: a number that wraps around there is
/// not affine here. A shift to the right keeps the upper bits alone.
bool widens(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::ZExtInst>(instruction) || llvm::isa<llvm::SExtInst>(instruction) ||
         instruction.getOpcode() == llvm::Instruction::AShr;
}

} // namespace

// An affine value: computed for lane 0, and where a base may not be good, for all lanes as well.
void WarpFunction::emit_affine(const llvm::Instruction& instruction) {
  if (instruction.isIntDivRem()) {
    define(instruction, divided(llvm::cast<llvm::BinaryOperator>(instruction)));
    return;
  }
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    define(instruction, selected(*select));
    return;
  }
  const Shape of = shape(&instruction);
  llvm::SmallVector<Value*> bases;
  Value* guard = nullptr;
  const auto also = [&](Value* condition) {
    if (condition != nullptr) {
      guard = guard == nullptr ? condition : builder_.CreateAnd(guard, condition);
    }
  };
  for (const Value* operand : instruction.operands()) {
    bases.push_back(scalar(operand));
    if (shape(operand).guarded) {
      also(warp_value(operand).guard);
    }
  }
  WarpValue made;
  made.scalar = build_plain(instruction, bases, false);
  if (of.has_row_stride) {
    made.row_stride = row_stride_of(instruction);
  }
  if (widens(instruction)) {
    also(fits_everywhere(instruction, made));
  }
  if (of.guarded) {
    made.guard = guard == nullptr ? builder_.getTrue() : guard;
    made.correction = correction_of(instruction, made);
  }
  define(instruction, made);
}

// A linear function is between what it is in the corners.
llvm::Value* WarpFunction::fits_everywhere(const llvm::Instruction& widening,
                                           const WarpValue& made) {
  unsigned width = widening.getOperand(0)->getType()->getIntegerBitWidth();
  if (widening.isShift()) {
    width -= static_cast<unsigned>(
        llvm::cast<llvm::ConstantInt>(widening.getOperand(1))->getZExtValue());
  }
  const bool is_signed = !llvm::isa<llvm::ZExtInst>(widening);
  auto* wide = builder_.getInt64Ty();
  const std::int64_t top = is_signed ? (std::int64_t{1} << (width - 1)) - 1
                                     : static_cast<std::int64_t>((std::uint64_t{1} << width) - 1);
  const std::int64_t bottom = is_signed ? -top - 1 : 0;
  const auto constant = [&](std::int64_t value) {
    return number(static_cast<std::uint64_t>(value), 64);
  };
  Value* low = is_signed ? builder_.CreateSExtOrTrunc(made.scalar, wide)
                         : builder_.CreateZExtOrTrunc(made.scalar, wide);
  Value* high = low;
  const std::int64_t reach = shape(&widening).stride * (width_ - 1);
  if (made.row_stride != nullptr) {
    Value* last =
        builder_.CreateMul(builder_.CreateSExtOrTrunc(made.row_stride, wide), constant(rows() - 1));
    low = builder_.CreateAdd(
        low, builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, last, constant(0)));
    high = builder_.CreateAdd(
        high, builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, last, constant(0)));
  }
  // The base itself fits.
  Value* fits = nullptr;
  const auto also = [&](Value* condition) {
    fits = fits == nullptr ? condition : builder_.CreateAnd(fits, condition);
  };
  if (reach > 0 || made.row_stride != nullptr) {
    also(builder_.CreateICmpSLE(high, constant(top - std::max<std::int64_t>(reach, 0))));
  }
  if (reach < 0 || made.row_stride != nullptr) {
    also(builder_.CreateICmpSGE(low, constant(bottom - std::min<std::int64_t>(reach, 0))));
  }
  return fits;
}

llvm::Value* WarpFunction::correction_of_operand(const Value* operand) {
  const WarpValue& of = warp_value(operand);
  return of.correction != nullptr ? of.correction
                                  : llvm::Constant::getNullValue(vector_type(operand->getType()));
}

llvm::Value* WarpFunction::row_stride_of_operand(const Value* operand) {
  const WarpValue& of = warp_value(operand);
  return of.row_stride != nullptr ? of.row_stride
                                  : llvm::Constant::getNullValue(scalar_type(operand->getType()));
}

llvm::Value* WarpFunction::row_stride_of(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::ZExtInst>(instruction) || llvm::isa<llvm::SExtInst>(instruction)) {
    return builder_.CreateSExt(row_stride_of_operand(instruction.getOperand(0)),
                               instruction.getType());
  }
  return linear_part(
      instruction, [&](const Value* operand) { return row_stride_of_operand(operand); }, false);
}

// The differences between the lanes of a guarded value and base + i * stride.
llvm::Value* WarpFunction::correction_of(const llvm::Instruction& instruction,
                                         const WarpValue& made) {
  if (widens(instruction)) {
    llvm::SmallVector<Value*> operands;
    for (const Value* operand : instruction.operands()) {
      operands.push_back(vector(operand));
    }
    Value* exact = build_plain(instruction, operands, true);
    return builder_.CreateSub(exact,
                              lanes_from(made.scalar, made.row_stride, shape(&instruction).stride));
  }
  return linear_part(
      instruction, [&](const Value* operand) { return correction_of_operand(operand); }, true);
}

llvm::Value* WarpFunction::linear_part(const llvm::Instruction& instruction,
                                       llvm::function_ref<Value*(const Value*)> part, bool wide) {
  const auto as_wide = [&](Value* value) { return wide ? splat(value) : value; };
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Mul:
  case llvm::Instruction::Shl: {
    const unsigned factor_at = shape(instruction.getOperand(0)).is_uniform() ? 0 : 1;
    return builder_.CreateBinOp(llvm::cast<llvm::BinaryOperator>(instruction).getOpcode(),
                                part(instruction.getOperand(1 - factor_at)),
                                as_wide(scalar(instruction.getOperand(factor_at))));
  }
  case llvm::Instruction::GetElementPtr: {
    const auto& element = llvm::cast<llvm::GetElementPtrInst>(instruction);
    llvm::SmallMapVector<Value*, llvm::APInt, 4> scaled;
    llvm::APInt offset(64, 0);
    element.collectOffset(scalar_.getDataLayout(), 64, scaled, offset);
    Value* sum = part(element.getPointerOperand());
    for (const auto& [index, scale] : scaled) {
      Value* term = builder_.CreateSExtOrTrunc(part(index), sum->getType());
      sum = builder_.CreateAdd(sum,
                               builder_.CreateMul(term, as_wide(number(scale.getZExtValue(), 64))));
    }
    return sum;
  }
  default: {
    llvm::SmallVector<Value*> parts;
    for (const Value* operand : instruction.operands()) {
      parts.push_back(part(operand));
    }
    return build_plain(instruction, parts, wide);
  }
  }
}

} // namespace gantry::simt::lower
