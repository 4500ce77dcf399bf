#include "link/private_atomics.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace gantry::link {
namespace {

bool is_private(const llvm::Value* place) {
  llvm::SmallVector<const llvm::Value*> objects;
  llvm::getUnderlyingObjects(place, objects);
  return llvm::all_of(
      objects, [](const llvm::Value* object) { return llvm::isa<llvm::AllocaInst>(object); });
}

} // namespace

void lower_private_atomics(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
      if (exchange != nullptr && is_private(exchange->getPointerOperand())) {
        llvm::lowerAtomicCmpXchgInst(exchange);
      }
    }
  }
}

} // namespace gantry::link
