#include "pass/device_pointers.h"

#include "pass/translation.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Operator.h>

namespace gantry::pass {

namespace {

/// True if what is read at `memory` comes from a virtual table of the device.
bool is_device_table(llvm::Value* memory) {
  const llvm::Value* original = translated(memory);
  const auto* load = original == nullptr ? nullptr : llvm::dyn_cast<llvm::LoadInst>(original);
  return load != nullptr && is_said_to_be_table_pointer(*load);
}

using Visited = llvm::SmallPtrSet<llvm::Value*, 8>;

/// The base of a pointer's address computations.
llvm::Value* start_of(llvm::Value* pointer) {
  pointer = pointer->stripPointerCasts();
  while (auto* offset = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    pointer = offset->getPointerOperand()->stripPointerCasts();
  }
  return pointer;
}

bool is_device_pointer(llvm::Value* pointer, Visited& visited) {
  if (!visited.insert(pointer).second) {
    return true; // a choice that comes back to itself adds nothing
  }
  if (translated(pointer) != nullptr) {
    return true;
  }
  llvm::Value* start = start_of(pointer);
  if (llvm::isa<llvm::GlobalValue>(start)) {
    return true;
  }
  if (start != pointer) {
    return is_device_pointer(start, visited);
  }
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer)) {
    // Constants in the image's memory hold what the image's linker wrote.
    llvm::Value* memory = start_of(load->getPointerOperand());
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(memory);
    return (variable != nullptr && variable->isConstant() &&
            !variable->isExternallyInitialized()) ||
           is_device_table(memory);
  }
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
    return is_device_pointer(choice->getTrueValue(), visited) &&
           is_device_pointer(choice->getFalseValue(), visited);
  }
  if (auto* merge = llvm::dyn_cast<llvm::PHINode>(pointer)) {
    for (llvm::Value* value : merge->incoming_values()) {
      if (!is_device_pointer(value, visited)) {
        return false;
      }
    }
    return true;
  }
  return llvm::isa<llvm::ConstantPointerNull>(pointer) || llvm::isa<llvm::UndefValue>(pointer);
}

} // namespace

bool is_said_to_be_table_pointer(const llvm::LoadInst& load) {
  const llvm::MDNode* tag = load.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (tag == nullptr || tag->getNumOperands() < 2) {
    return false;
  }
  const auto* type = llvm::dyn_cast<llvm::MDNode>(tag->getOperand(1));
  if (type == nullptr || type->getNumOperands() == 0) {
    return false;
  }
  const auto* name = llvm::dyn_cast<llvm::MDString>(type->getOperand(0));
  return name != nullptr && name->getString() == "vtable pointer";
}

bool is_device_pointer(llvm::Value* pointer) {
  Visited visited;
  return is_device_pointer(pointer, visited);
}

} // namespace gantry::pass
