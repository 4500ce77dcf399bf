#include "pass/virtual_calls.h"

#include "pass/device_pointers.h"
#include "pass/translation.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/IR/Instructions.h>

namespace gantry::pass {

namespace {

/// `function` was read from a table: it is called for the object at `object`, at once or after a
/// choice between it and another one (a pointer to a member function).
bool is_called_for(const llvm::Value& function, const llvm::Value* object) {
  return llvm::any_of(function.users(), [&](const llvm::User* user) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
      return call->getCalledOperand() == &function && llvm::is_contained(call->args(), object);
    }
    return llvm::isa<llvm::PHINode>(user) && !llvm::isa<llvm::PHINode>(function) &&
           is_called_for(*user, object);
  });
}

/// `offset` was read from a table: it is added to the address of the object, to reach a virtual
/// base or the whole object.
bool is_added_to(const llvm::Value& offset, const llvm::Value* object) {
  return llvm::any_of(offset.users(), [&](const llvm::User* user) {
    const auto* sum = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    return sum != nullptr && sum->getPointerOperand() == object && sum->getNumIndices() == 1;
  });
}

bool reads_table_of(const llvm::Value& table, const llvm::Value* object) {
  return llvm::any_of(table.users(), [&](const llvm::User* user) {
    if (const auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      return place->getPointerOperand() == &table && reads_table_of(*place, object);
    }
    const auto* entry = llvm::dyn_cast<llvm::LoadInst>(user);
    return entry != nullptr && (entry->getType()->isPointerTy() ? is_called_for(*entry, object)
                                                                : is_added_to(*entry, object));
  });
}

/// True if `load` reads the virtual table pointer of an object.
bool reads_table_pointer(const llvm::LoadInst& load, VirtualCalls::Code code) {
  return load.getType()->isPointerTy() &&
         (is_said_to_be_table_pointer(load) || (code == VirtualCalls::Code::kAsEmitted &&
                                                reads_table_of(load, load.getPointerOperand())));
}

bool is_translated(llvm::Value& pointer) {
  return llvm::any_of(pointer.users(), [](llvm::User* user) {
    return llvm::isa<llvm::AddrSpaceCastInst>(user) ? is_translated(*user)
                                                    : translated(user) != nullptr;
  });
}

void translate_uses(llvm::LoadInst& load) {
  const auto uses = llvm::map_to_vector(load.uses(), [](llvm::Use& use) { return &use; });
  llvm::IRBuilder<> builder(load.getNextNode());
  builder.SetCurrentDebugLocation(load.getDebugLoc());
  llvm::Value* translation = make_translation(builder, &load);
  for (llvm::Use* use : uses) {
    use->set(translation);
  }
}

} // namespace

llvm::PreservedAnalyses VirtualCalls::run(llvm::Function& function,
                                          llvm::FunctionAnalysisManager& /*analyses*/) {
  if (!is_device_module(*function.getParent())) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::SmallVector<llvm::LoadInst*> loads;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load != nullptr && reads_table_pointer(*load, code_) && !is_translated(*load)) {
        loads.push_back(load);
      }
    }
  }
  for (llvm::LoadInst* load : loads) {
    translate_uses(*load);
  }
  return loads.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses FoldTranslations::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& /*analyses*/) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      llvm::Value* original = translated(&instruction);
      if (original != nullptr && llvm::isa<llvm::CallInst>(instruction) &&
          is_device_pointer(original)) {
        instruction.replaceAllUsesWith(original);
        instruction.eraseFromParent();
        changed = true;
      }
    }
  }
  if (!changed) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace gantry::pass
