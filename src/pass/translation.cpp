#include "pass/translation.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/TargetParser/Triple.h>

namespace gantry::pass {

namespace {

constexpr char kDeviceFlag[] = "openmp-device";
constexpr char kTranslate[] = "__kmpc_target_translate_fptr";

/// The translation depends on nothing but the pointer, because a function stays at its address
/// while device code runs that can have its pointer.
llvm::FunctionCallee translation_function(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  const llvm::AttributeList attributes =
      llvm::AttributeList()
          .addFnAttribute(context, llvm::Attribute::NoUnwind)
          .addFnAttribute(context, llvm::Attribute::WillReturn)
          .addFnAttribute(
              context, llvm::Attribute::getWithMemoryEffects(context, llvm::MemoryEffects::none()));
  return module.getOrInsertFunction(kTranslate, attributes, pointer, pointer);
}

} // namespace

bool is_device_module(const llvm::Module& module) {
  return module.getModuleFlag(kDeviceFlag) != nullptr;
}

bool is_gpu_module(const llvm::Module& module) {
  const auto is_gpu = [](const llvm::Triple& triple) {
    return triple.isNVPTX() || triple.isAMDGPU();
  };
  return is_gpu(llvm::Triple(module.getTargetTriple())); // LLVM 19 has the text alone
}

llvm::Value* make_translation(llvm::IRBuilder<>& builder, llvm::Value* pointer) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Value* generic = builder.CreatePointerBitCastOrAddrSpaceCast(pointer, builder.getPtrTy());
  llvm::CallInst* call = builder.CreateCall(translation_function(module), generic);
  call->setDoesNotThrow();
  return builder.CreatePointerBitCastOrAddrSpaceCast(call, pointer->getType());
}

llvm::Value* translated(llvm::Value* value) {
  if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(value)) {
    value = cast->getPointerOperand();
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(value);
  if (call == nullptr || call->arg_size() != 1) {
    return nullptr;
  }
  const auto* callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand());
  return callee != nullptr && callee->getName() == kTranslate ? call->getArgOperand(0) : nullptr;
}

} // namespace gantry::pass
