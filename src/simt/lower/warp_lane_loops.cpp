// Calls of lane loops: their arguments and results lie in memory, a place for each lane.
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>

namespace gantry::simt::lower {

using exec::kLanes;

void WarpFunction::emit_lane_loop(const llvm::CallInst& call, llvm::Function* code) {
  // A truth value has a byte there.
  const auto stored_type = [&](Type* type) {
    return type->isIntegerTy(1) ? builder_.getInt8Ty() : type;
  };
  const auto array_of = [&](Type* type) {
    llvm::AllocaInst* array = variable(llvm::ArrayType::get(stored_type(type), kLanes), "of_lanes");
    array->setAlignment(llvm::Align(64));
    return array;
  };
  const auto vector_of = [&](Type* type) { return llvm::FixedVectorType::get(type, kLanes); };

  llvm::SmallVector<Value*> arguments = {warp_, nullptr};
  llvm::SmallVector<llvm::AllocaInst*> inputs;
  for (const Value* argument : call.args()) {
    const bool is_uniform = shape(argument).is_uniform();
    arguments.push_back(is_uniform ? scalar(argument) : nullptr);
    inputs.push_back(nullptr);
    if (!is_uniform) {
      Type* type = scalar_type(argument->getType());
      inputs.back() = array_of(type);
      builder_.CreateAlignedStore(
          builder_.CreateZExtOrBitCast(vector(argument), vector_of(stored_type(type))),
          inputs.back(), llvm::Align(64));
    }
  }
  auto* results = llvm::cast<llvm::StructType>(code->getReturnType());
  llvm::SmallVector<llvm::AllocaInst*> outputs;
  for (Type* type : results->elements()) {
    outputs.push_back(array_of(type));
  }
  for_each_lane(mask_, [&](Value* lane) {
    const auto place = [&](llvm::AllocaInst* array) {
      return builder_.CreateGEP(array->getAllocatedType()->getArrayElementType(), array, lane);
    };
    arguments[1] = builder_.CreateShl(number(1), builder_.CreateTrunc(lane, builder_.getInt32Ty()));
    for (unsigned i = 0; i < inputs.size(); ++i) {
      if (inputs[i] != nullptr) {
        Type* type = scalar_type(call.getArgOperand(i)->getType());
        arguments[2 + i] = builder_.CreateTruncOrBitCast(
            builder_.CreateLoad(stored_type(type), place(inputs[i])), type);
      }
    }
    llvm::CallInst* result = builder_.CreateCall(code, arguments);
    result->addFnAttr(llvm::Attribute::NoUnwind);
    for (unsigned i = 0; i < outputs.size(); ++i) {
      Value* value = builder_.CreateExtractValue(result, i);
      builder_.CreateStore(builder_.CreateZExtOrBitCast(value, stored_type(value->getType())),
                           place(outputs[i]));
    }
  });
  Value* all = llvm::PoisonValue::get(vector_type(call.getType()));
  for (unsigned i = 0; i < outputs.size(); ++i) {
    Type* type = results->getElementType(i);
    Value* values =
        builder_.CreateAlignedLoad(vector_of(stored_type(type)), outputs[i], llvm::Align(64));
    all =
        builder_.CreateInsertValue(all, builder_.CreateTruncOrBitCast(values, vector_of(type)), i);
  }
  define_vector(call, all);
}

} // namespace gantry::simt::lower
