// Values of a warp, and plain instructions, which do for each lane what they do for one.
#include "simt/lower/lane_loops.h"
#include "simt/lower/warp_function.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

namespace gantry::simt::lower {

using exec::kLanes;

llvm::ConstantInt* WarpFunction::number(std::uint64_t value, unsigned width) {
  return llvm::cast<llvm::ConstantInt>(
      llvm::ConstantInt::get(builder_.getIntNTy(width), llvm::APInt(width, value, false, true)));
}

llvm::Type* WarpFunction::scalar_type(Type* type) {
  if (type->isPointerTy()) {
    return builder_.getInt64Ty();
  }
  if (auto* parts = llvm::dyn_cast<llvm::StructType>(type)) {
    llvm::SmallVector<Type*> types;
    for (Type* part : parts->elements()) {
      types.push_back(scalar_type(part));
    }
    return llvm::StructType::get(context_, types);
  }
  return type;
}

llvm::Type* WarpFunction::vector_type(Type* type) {
  if (auto* parts = llvm::dyn_cast<llvm::StructType>(type)) {
    llvm::SmallVector<Type*> types;
    for (Type* part : parts->elements()) {
      types.push_back(vector_type(part));
    }
    return llvm::StructType::get(context_, types);
  }
  return llvm::FixedVectorType::get(scalar_type(type), kLanes);
}

llvm::Value* WarpFunction::lane_numbers(Type* type) {
  const unsigned width = type->getIntegerBitWidth();
  llvm::SmallVector<llvm::Constant*> lanes;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    lanes.push_back(number(lane, width));
  }
  return llvm::ConstantVector::get(lanes);
}

llvm::Value* WarpFunction::splat(Value* value) {
  if (auto* type = llvm::dyn_cast<llvm::StructType>(value->getType())) {
    Value* result = llvm::PoisonValue::get(vector_type(type));
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      result = builder_.CreateInsertValue(result, splat(builder_.CreateExtractValue(value, i)), i);
    }
    return result;
  }
  return builder_.CreateVectorSplat(kLanes, value);
}

llvm::Value* WarpFunction::lanes_from(Value* base, Value* row_stride, std::int64_t stride) {
  const unsigned bits = base->getType()->getIntegerBitWidth();
  llvm::SmallVector<llvm::Constant*> places;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    places.push_back(number(static_cast<std::uint64_t>(stride * (lane % width_)), bits));
  }
  Value* bases = nullptr;
  if (row_stride == nullptr) {
    bases = splat(base);
  } else {
    llvm::SmallVector<Value*> of_rows;
    for (unsigned row = 0; row < rows(); ++row) {
      of_rows.push_back(builder_.CreateVectorSplat(width_, row_from(base, row_stride, row)));
    }
    bases = joined_rows(of_rows);
  }
  return builder_.CreateAdd(bases, llvm::ConstantVector::get(places));
}

llvm::Value* WarpFunction::row_from(Value* base, Value* row_stride, unsigned row) {
  if (row_stride == nullptr || row == 0) {
    return base;
  }
  const unsigned bits = base->getType()->getIntegerBitWidth();
  return builder_.CreateAdd(base, builder_.CreateMul(row_stride, number(row, bits)));
}

// Vectors side by side, a power of two of them.
llvm::Value* WarpFunction::joined_rows(llvm::ArrayRef<Value*> of_rows) {
  llvm::SmallVector<Value*> parts(of_rows.begin(), of_rows.end());
  while (parts.size() > 1) {
    llvm::SmallVector<Value*> pairs;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      const unsigned count =
          2 * llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      llvm::SmallVector<int> all;
      for (unsigned element = 0; element < count; ++element) {
        all.push_back(static_cast<int>(element));
      }
      pairs.push_back(builder_.CreateShuffleVector(parts[i], parts[i + 1], all));
    }
    parts = pairs;
  }
  return parts[0];
}

// Passes over what is rarely executed would otherwise compute it in front of loops, and keep it in
// registers there.
llvm::Value* WarpFunction::here(Value* value) {
  auto* type = llvm::FunctionType::get(value->getType(), {value->getType()}, false);
  return builder_.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/true),
                             {value});
}

// The value, from this block or from the variables that its own block has stored it in.
const WarpFunction::WarpValue& WarpFunction::warp_value(const Value* value) {
  const auto found = warp_values_.find(value);
  if (found != warp_values_.end()) {
    return found->second;
  }
  WarpValue made;
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
    made.scalar = const_cast<llvm::Constant*>(constant);
    if (constant->getType()->isPointerTy()) {
      // Pointers are numbers here; the only constant ones are null and what was made from a number.
      const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(constant);
      made.scalar = cast != nullptr && cast->getOpcode() == llvm::Instruction::IntToPtr
                        ? static_cast<Value*>(cast->getOperand(0))
                        : number(0, 64);
    } else if (llvm::isa<llvm::UndefValue>(constant)) {
      made.scalar = llvm::Constant::getNullValue(scalar_type(constant->getType()));
    }
  } else if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value);
             argument != nullptr && options_.one_lane) {
    made.scalar = function_->getArg(2 + argument->getArgNo());
  } else if (argument != nullptr) {
    Value* address = builder_.CreateConstGEP1_64(builder_.getInt64Ty(), function_->getArg(2),
                                                 std::uint64_t{argument->getArgNo()} * kLanes);
    made.vector =
        builder_.CreateAlignedLoad(vector_type(argument->getType()), address, llvm::Align(64));
  } else {
    const Slots& slots = slots_[value];
    const auto load = [&](llvm::AllocaInst* slot) -> Value* {
      return slot == nullptr ? nullptr : builder_.CreateLoad(slot->getAllocatedType(), slot);
    };
    made = {load(slots.scalar), load(slots.guard), load(slots.correction), load(slots.vector),
            load(slots.row_stride)};
  }
  return warp_values_[value] = made;
}

llvm::Value* WarpFunction::scalar(const Value* value) {
  return warp_value(value).scalar;
}

llvm::Value* WarpFunction::vector(const Value* value) {
  const WarpValue of = warp_value(value);
  if (of.vector != nullptr) {
    return of.vector;
  }
  Value* result = splat(of.scalar);
  const Shape how = shape(value);
  if (how.is_affine()) {
    result = lanes_from(of.scalar, of.row_stride, how.stride);
    result = of.correction == nullptr ? result : builder_.CreateAdd(result, of.correction);
  }
  warp_values_[value].vector = result;
  return result;
}

// Records the result of an instruction, for its block and, if others use it, in variables.
void WarpFunction::define(const llvm::Instruction& instruction, const WarpValue& made) {
  WarpValue kept = made;
  const Shape of = shape(&instruction);
  if (of.is_varying() && kept.vector == nullptr) {
    kept.vector = splat(kept.scalar);
  }
  if (of.is_varying()) {
    kept.scalar = nullptr;
  }
  warp_values_[&instruction] = kept;
  const bool elsewhere = llvm::any_of(instruction.users(), [&](const llvm::User* user) {
    const auto* at = llvm::cast<llvm::Instruction>(user);
    return at->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(at);
  });
  if (!elsewhere) {
    return;
  }
  Slots& slots = slots_[&instruction];
  const auto keep = [&](llvm::AllocaInst*& slot, Value* value, const char* name) {
    if (value != nullptr) {
      if (slot == nullptr) {
        slot = variable(value->getType(), name);
      }
      builder_.CreateStore(value, slot);
    }
  };
  keep(slots.scalar, kept.scalar, "value");
  keep(slots.row_stride, kept.row_stride, "row_stride");
  keep(slots.guard, kept.guard, "guard");
  keep(slots.correction, kept.correction, "correction");
  if (of.is_varying()) {
    keep(slots.vector, kept.vector, "lanes");
  }
}

llvm::Value* WarpFunction::mask_bits(Value* lanes) {
  return builder_.CreateBitCast(lanes, builder_.getInt32Ty());
}

llvm::Value* WarpFunction::lanes_of(Value* bits) {
  return builder_.CreateBitCast(bits, llvm::FixedVectorType::get(builder_.getInt1Ty(), kLanes));
}

llvm::Value* WarpFunction::first_lane() {
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_, builder_.getTrue());
}

llvm::Value* WarpFunction::any_lane(const Value* value) {
  return shape(value).is_uniform() ? scalar(value)
                                   : builder_.CreateExtractElement(vector(value), first_lane());
}

void WarpFunction::for_each_lane(Value* mask, llvm::function_ref<void(Value*)> body) {
  auto* before = builder_.GetInsertBlock();
  auto* loop = new_block("lanes");
  auto* after = new_block("lanes.end");
  builder_.CreateCondBr(builder_.CreateIsNotNull(mask), loop, after);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* left = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  left->addIncoming(mask, before);
  Value* lane = builder_.CreateZExt(
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue()),
      builder_.getInt64Ty());
  body(lane);
  Value* rest = builder_.CreateAnd(left, builder_.CreateSub(left, number(1)));
  left->addIncoming(rest, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateIsNotNull(rest), loop, after);
  builder_.SetInsertPoint(after);
}

void WarpFunction::emit(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    emit_load(*load);
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    emit_store(*store);
  } else if (llvm::isa<llvm::AtomicRMWInst>(instruction) ||
             llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) {
    emit_atomic(instruction);
  } else if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
    builder_.CreateFence(fence->getOrdering());
    if (options_.watch_accesses) {
      call_service(offsetof(exec::Services, watch_fence), builder_.getVoidTy(),
                   {warp_, mask_, number(is_beyond_block(*fence) ? 1 : 0)});
    }
  } else if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    define_scalar(instruction, builder_.CreateAdd(local_frame_, number(local_offsets_[local], 64)));
  } else if (const std::optional<LaneOperation> operation = operation_of(instruction)) {
    emit_operation(llvm::cast<llvm::CallInst>(instruction), *operation);
  } else if (const llvm::Function* loop = called_lane_loop(instruction)) {
    emit_lane_loop(llvm::cast<llvm::CallInst>(instruction), options_.lane_loops->lookup(loop));
  } else if (instruction.getType()->isVoidTy()) {
    return; // lifetime markers, assumptions
  } else if (shape(&instruction).is_affine()) {
    emit_affine(instruction);
  } else {
    emit_plain(instruction);
  }
}

void WarpFunction::emit_plain(const llvm::Instruction& instruction) {
  const bool wide = !shape(&instruction).is_uniform();
  llvm::SmallVector<Value*> operands;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const unsigned count = call != nullptr ? call->arg_size() : instruction.getNumOperands();
  for (unsigned i = 0; i < count; ++i) {
    const Value* operand = instruction.getOperand(i);
    const bool stays_scalar = call != nullptr && llvm::isVectorIntrinsicWithScalarOpAtArg(
                                                     call->getIntrinsicID(), i, nullptr);
    const bool uniform_condition =
        llvm::isa<llvm::SelectInst>(instruction) && i == 0 && shape(operand).is_uniform();
    operands.push_back(wide && !stays_scalar && !uniform_condition ? vector(operand)
                                                                   : scalar(operand));
  }
  if (wide && instruction.isIntDivRem()) {
    // That the divisor is not zero is known of the lanes that execute this, and only of them.
    operands[1] = builder_.CreateSelect(lane_mask(), operands[1],
                                        llvm::ConstantInt::get(operands[1]->getType(), 1));
  }
  Value* result = build_plain(instruction, operands, wide);
  define(instruction, wide ? WarpValue{nullptr, nullptr, nullptr, result}
                           : WarpValue{result, nullptr, nullptr, nullptr});
}

llvm::Value* WarpFunction::build_plain(const llvm::Instruction& instruction,
                                       llvm::ArrayRef<Value*> operands, bool wide) {
  Type* type = wide ? vector_type(instruction.getType()) : scalar_type(instruction.getType());
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    return builder_.CreateBinOp(binary->getOpcode(), operands[0], operands[1]);
  }
  if (const auto* unary = llvm::dyn_cast<llvm::UnaryOperator>(&instruction)) {
    return builder_.CreateUnOp(unary->getOpcode(), operands[0]);
  }
  if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    return builder_.CreateCmp(comparison->getPredicate(), operands[0], operands[1]);
  }
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    switch (cast->getOpcode()) {
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PtrToAddr:
    case llvm::Instruction::AddrSpaceCast:
      return builder_.CreateZExtOrTrunc(operands[0], type);
    default:
      return operands[0]->getType() == type
                 ? operands[0]
                 : builder_.CreateCast(cast->getOpcode(), operands[0], type);
    }
  }
  if (llvm::isa<llvm::SelectInst>(instruction)) {
    return builder_.CreateSelect(operands[0], operands[1], operands[2]);
  }
  if (llvm::isa<llvm::FreezeInst>(instruction)) {
    return builder_.CreateFreeze(operands[0]);
  }
  if (const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    return builder_.CreateExtractValue(operands[0], extract->getIndices());
  }
  if (const auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    return builder_.CreateInsertValue(operands[0], operands[1], insert->getIndices());
  }
  if (const auto* address_of = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    return address(*address_of, wide);
  }
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    return builder_.CreateIntrinsic(type, call->getIntrinsicID(), operands);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  instruction.print(stream);
  llvm::report_fatal_error(llvm::Twine("no form for 32 lanes of:") + text);
}

llvm::Value* WarpFunction::address(const llvm::GetElementPtrInst& instruction, bool wide) {
  const auto get = [&](const Value* value) { return wide ? vector(value) : scalar(value); };
  llvm::SmallMapVector<Value*, llvm::APInt, 4> scaled;
  llvm::APInt offset(64, 0);
  instruction.collectOffset(scalar_.getDataLayout(), 64, scaled, offset);
  Value* result = get(instruction.getPointerOperand());
  const auto constant = [&](std::uint64_t value) -> Value* {
    return wide ? splat(number(value, 64)) : static_cast<Value*>(number(value, 64));
  };
  for (const auto& [index, scale] : scaled) {
    Value* part = builder_.CreateSExtOrTrunc(get(index), result->getType());
    if (scale != 1) {
      part = builder_.CreateMul(part, constant(scale.getZExtValue()));
    }
    result = builder_.CreateAdd(result, part);
  }
  return offset.isZero() ? result : builder_.CreateAdd(result, constant(offset.getZExtValue()));
}

} // namespace gantry::simt::lower
