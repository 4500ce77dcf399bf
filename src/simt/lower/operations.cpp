#include "simt/lower/operations.h"

#include <llvm/IR/Module.h>

namespace gantry::simt::lower {

namespace {

constexpr llvm::StringLiteral kAttribute = "simt-operation";
/// The scope of synchronisation of a block's threads; that of all others is the system.
constexpr llvm::StringLiteral kBlockScope = "block";

void describe(llvm::Function& function, LaneOperation operation) {
  function.addFnAttr(kAttribute, std::to_string(static_cast<unsigned>(operation)));
  function.addFnAttr(llvm::Attribute::NoUnwind);
  if (operation <= LaneOperation::kShuffleValid) {
    function.setMemoryEffects(llvm::MemoryEffects::none());
    function.addFnAttr(llvm::Attribute::WillReturn);
    return;
  }
  function.addFnAttr(llvm::Attribute::Convergent);
  // What the lanes exchange is not in memory, but may be neither merged nor moved.
  if (operation <= LaneOperation::kActiveMask || operation == LaneOperation::kClock ||
      operation == LaneOperation::kGlobalTimer) {
    function.setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  }
  if (operation == LaneOperation::kTrap) {
    function.addFnAttr(llvm::Attribute::NoReturn);
  }
}

} // namespace

llvm::FenceInst* create_fence(llvm::IRBuilder<>& builder, llvm::AtomicOrdering ordering,
                              bool beyond_block) {
  return builder.CreateFence(
      ordering, beyond_block ? llvm::SyncScope::System
                             : builder.getContext().getOrInsertSyncScopeID(kBlockScope));
}

bool is_beyond_block(const llvm::FenceInst& fence) {
  return fence.getSyncScopeID() != fence.getContext().getOrInsertSyncScopeID(kBlockScope);
}

llvm::CallInst* call_operation(llvm::IRBuilder<>& builder, LaneOperation operation,
                               llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const llvm::Value* argument : arguments) {
    types.push_back(argument->getType());
  }
  auto* type = llvm::FunctionType::get(result, types, false);
  std::string name = "simt." + std::to_string(static_cast<unsigned>(operation));
  llvm::raw_string_ostream stream(name);
  stream << *type;
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) {
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    describe(*function, operation);
  }
  return builder.CreateCall(function, arguments);
}

std::optional<LaneOperation> operation_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr ||
      !call->getCalledFunction()->hasFnAttribute(kAttribute)) {
    return std::nullopt;
  }
  unsigned number = 0;
  call->getCalledFunction()->getFnAttribute(kAttribute).getValueAsString().getAsInteger(10, number);
  return static_cast<LaneOperation>(number);
}

unsigned constant_of(const llvm::CallInst& call, unsigned index) {
  return static_cast<unsigned>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(index))->getZExtValue());
}

} // namespace gantry::simt::lower
