#include "pass/flang/local_memory.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace gantry::pass {
namespace {

constexpr unsigned kGenericSpace = 0;

/// Has markers of lifetimes and functions such as memcpy take the pointers that they get by now.
void adapt(llvm::IntrinsicInst& call) {
  llvm::SmallVector<llvm::Type*> types;
  if (llvm::isa<llvm::LifetimeIntrinsic>(call)) {
    types = {call.getArgOperand(call.arg_size() - 1)->getType()};
  } else if (const auto* const transfer = llvm::dyn_cast<llvm::MemTransferInst>(&call)) {
    types = {transfer->getRawDest()->getType(), transfer->getRawSource()->getType(),
             transfer->getLength()->getType()};
  } else if (const auto* const set = llvm::dyn_cast<llvm::MemSetInst>(&call)) {
    types = {set->getRawDest()->getType(), set->getLength()->getType()};
  } else {
    return;
  }
  llvm::Module& module = *call.getModule();
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  call.setCalledFunction(
      module.getOrInsertFunction(llvm::Intrinsic::getName(id, types, &module),
                                 llvm::Intrinsic::getType(module.getContext(), id, types)));
}

/// Has whatever uses an address use the result of a cast of it; markers of lifetimes name a
/// variable itself.
void use_in_place_of(llvm::Value& address, llvm::Value& cast) {
  for (llvm::Use& use : llvm::make_early_inc_range(address.uses())) {
    if (use.getUser() != &cast && !llvm::isa<llvm::LifetimeIntrinsic>(use.getUser())) {
      use.set(&cast);
    }
  }
}

/// Moves what one function has of local variables' addresses to the generic address space.
class Mover {
public:
  Mover(llvm::LLVMContext& context, unsigned space)
      : generic_(llvm::PointerType::get(context, kGenericSpace)),
        local_(llvm::PointerType::get(context, space)) {}

  void move(llvm::Function& function) {
    llvm::IRBuilder<> at_begin(&*function.getEntryBlock().getFirstInsertionPt());
    for (llvm::Argument& argument : function.args()) {
      if (argument.getType() == local_ && !argument.use_empty()) {
        auto* const cast =
            llvm::cast<llvm::Instruction>(at_begin.CreateAddrSpaceCast(&argument, generic_));
        use_in_place_of(argument, *cast);
      }
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      change_type(instruction);
    }
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      change_operands(instruction);
    }
  }

private:
  [[nodiscard]] llvm::Type* changed(llvm::Type* type) const {
    if (type == local_) {
      return generic_;
    }
    if (auto* const array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      return llvm::ArrayType::get(changed(array->getElementType()), array->getNumElements());
    }
    auto* const structure = llvm::dyn_cast<llvm::StructType>(type);
    if (structure == nullptr || !structure->isLiteral()) {
      return type; // the program's own hold no such addresses
    }
    llvm::SmallVector<llvm::Type*> fields;
    for (llvm::Type* const field : structure->elements()) {
      fields.push_back(changed(field));
    }
    return llvm::StructType::get(type->getContext(), fields, structure->isPacked());
  }

  void change_type(llvm::Instruction& instruction) const {
    if (auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      variable->setAllocatedType(changed(variable->getAllocatedType()));
    } else if (auto* const step = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      step->setSourceElementType(changed(step->getSourceElementType()));
      step->setResultElementType(changed(step->getResultElementType()));
    }
    if (!llvm::isa<llvm::CallBase>(instruction)) {
      instruction.mutateType(changed(instruction.getType()));
    }
  }

  void change_operands(llvm::Instruction& instruction) const {
    if (auto* const cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&instruction)) {
      if (cast->getType() == cast->getPointerOperand()->getType()) {
        cast->replaceAllUsesWith(cast->getPointerOperand());
        cast->eraseFromParent();
      }
      return;
    }
    if (auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      adapt(*intrinsic);
    }
    auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr) {
      llvm::IRBuilder<> builder(call);
      for (unsigned i = 0; i < call->arg_size() && i < call->getFunctionType()->getNumParams();
           ++i) {
        llvm::Value* const argument = call->getArgOperand(i);
        llvm::Type* const wanted = call->getFunctionType()->getParamType(i);
        if (argument->getType() == generic_ && wanted == local_) {
          call->setArgOperand(i, builder.CreateAddrSpaceCast(argument, wanted));
        }
      }
      return;
    }
    for (llvm::Use& operand : instruction.operands()) {
      auto* const constant = llvm::dyn_cast<llvm::Constant>(operand);
      if (constant != nullptr && constant->getType() == local_) {
        operand.set(llvm::ConstantExpr::getAddrSpaceCast(constant, generic_));
      } else if (operand->getType() == local_) { // the result of a call
        auto* const result = llvm::cast<llvm::Instruction>(operand);
        llvm::IRBuilder<> builder(&*result->getInsertionPointAfterDef().value());
        operand.set(builder.CreateAddrSpaceCast(result, generic_));
      }
    }
  }

  llvm::PointerType* generic_;
  llvm::PointerType* local_;
};

} // namespace

void move_variables_to_generic(llvm::Module& module) {
  const unsigned space = module.getDataLayout().getAllocaAddrSpace();
  if (space == kGenericSpace) {
    return;
  }
  Mover mover(module.getContext(), space);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      mover.move(function);
    }
  }
}

void move_variables_back(llvm::Module& module) {
  const unsigned space = module.getDataLayout().getAllocaAddrSpace();
  if (space == kGenericSpace) {
    return;
  }
  auto* const local = llvm::PointerType::get(module.getContext(), space);
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (variable == nullptr || variable->getAddressSpace() != kGenericSpace) {
        continue;
      }
      llvm::Type* const generic = variable->getType();
      variable->mutateType(local);
      llvm::IRBuilder<> builder(variable->getNextNode());
      llvm::Value* const cast = builder.CreateAddrSpaceCast(variable, generic);
      use_in_place_of(*variable, *cast);
      for (llvm::User* const user : variable->users()) {
        if (auto* const marker = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user)) {
          adapt(*marker);
        }
      }
    }
  }
}

} // namespace gantry::pass
