#include "link/parallel_regions.h"
#include "pass/runtime_calls.h"

#include <map>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

/// In front of a body's shared variables: the thread's number, and one that is always 0.
constexpr unsigned kOwnParameters = 2;
constexpr std::uint64_t kSlotBytes = 8;

/// Gives the wrapper debug information, because the instructions of the inlined body keep their
/// lines only in a function that has it.
void describe(llvm::Function& unpacker, const llvm::Function& body, llvm::IRBuilder<>& builder) {
  const llvm::DISubprogram* const source = body.getSubprogram();
  if (source == nullptr) {
    return;
  }
  llvm::DIBuilder made(*unpacker.getParent(), /*AllowUnresolved=*/true, source->getUnit());
  llvm::DISubprogram* const subprogram = made.createFunction(
      source->getFile(), unpacker.getName(), unpacker.getName(), source->getFile(),
      source->getLine(), made.createSubroutineType(made.getOrCreateTypeArray({})),
      source->getScopeLine(), llvm::DINode::FlagArtificial,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit |
          llvm::DISubprogram::SPFlagOptimized);
  made.finalizeSubprogram(subprogram);
  unpacker.setSubprogram(subprogram);
  builder.SetCurrentDebugLocation(
      llvm::DILocation::get(unpacker.getContext(), source->getLine(), 0, subprogram));
}

llvm::Function* make_unpacker(llvm::Function& body) {
  llvm::Module& module = *body.getParent();
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, pointer}, false);
  auto* unpacker = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                          body.getName() + ".unpacked", module);
  unpacker->addFnAttr(llvm::Attribute::AlwaysInline);
  unpacker->addFnAttr(llvm::Attribute::Convergent);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", unpacker));
  describe(*unpacker, body, builder);
  llvm::SmallVector<llvm::Value*> arguments = {unpacker->getArg(0), unpacker->getArg(1)};
  llvm::Value* list = unpacker->getArg(2);
  for (unsigned i = kOwnParameters; i < body.arg_size(); ++i) {
    llvm::Value* slot =
        builder.CreateConstGEP1_64(builder.getInt8Ty(), list, kSlotBytes * (i - kOwnParameters));
    arguments.push_back(builder.CreateLoad(body.getArg(i)->getType(), slot));
  }
  builder.CreateCall(&body, arguments);
  builder.CreateRetVoid();
  return unpacker;
}

} // namespace

void unify_parallel_regions(llvm::Module& module) {
  std::map<llvm::Function*, llvm::Function*> unpackers;
  for (const char* name : pass::kParallelCalls) {
    const llvm::Function* const parallel = module.getFunction(name);
    if (parallel == nullptr) {
      continue;
    }
    for (const llvm::User* user : parallel->users()) {
      auto* call = const_cast<llvm::CallInst*>(llvm::dyn_cast<llvm::CallInst>(user));
      if (call == nullptr || call->getCalledFunction() != parallel) {
        continue;
      }
      auto* body = llvm::dyn_cast<llvm::Function>(
          call->getArgOperand(pass::kParallelBody)->stripPointerCasts());
      if (body != nullptr) {
        llvm::Function*& unpacker = unpackers[body];
        if (unpacker == nullptr) {
          unpacker = make_unpacker(*body);
        }
        call->setArgOperand(pass::kParallelBody, unpacker);
      }
    }
  }
}

} // namespace gantry::link
