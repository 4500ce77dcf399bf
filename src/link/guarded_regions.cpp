#include "link/guarded_regions.h"

#include <set>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

constexpr const char* kBarrier = "__kmpc_barrier_simple_spmd";
constexpr const char* kThread = "__kmpc_get_hardware_thread_id_in_block";

const llvm::CallInst* call_of(const llvm::Value* value, const llvm::Function* function) {
  const auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(value);
  return call != nullptr && call->getCalledFunction() == function ? call : nullptr;
}

/// Whether the block ends with a branch on the thread being thread 0.
bool asks_for_thread(const llvm::BasicBlock& block, const llvm::Function* thread) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  const auto* compare = branch == nullptr || !branch->isConditional()
                            ? nullptr
                            : llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  const auto* number =
      compare == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
  return number != nullptr && number->isZero() && compare->isEquality() &&
         call_of(compare->getOperand(0), thread) != nullptr;
}

/// Whether the block may read memory after its last barrier.
bool reads_since_barrier(const llvm::BasicBlock& block, const llvm::Function* barrier,
                         const llvm::Function* thread) {
  for (auto it = block.rbegin(); it != block.rend(); ++it) {
    if (call_of(&*it, barrier) != nullptr) {
      return false;
    }
    if (it->mayReadFromMemory() && call_of(&*it, thread) == nullptr) {
      return true;
    }
  }
  return true;
}

} // namespace

void wait_before_guarded_regions(llvm::Module& module) {
  const llvm::Function* const barrier = module.getFunction(kBarrier);
  const llvm::Function* const thread = module.getFunction(kThread);
  if (barrier == nullptr || thread == nullptr) {
    return;
  }
  // Barriers that end a guarded region, each with a block in which such a region may begin.
  std::vector<std::pair<llvm::CallInst*, llvm::BasicBlock*>> guards;
  for (const llvm::User* user : barrier->users()) {
    auto* call = llvm::cast<llvm::CallInst>(const_cast<llvm::User*>(user));
    if (call_of(call, barrier) == nullptr || call_of(call->getArgOperand(1), thread) == nullptr) {
      continue;
    }
    const std::set<llvm::BasicBlock*> before(llvm::pred_begin(call->getParent()),
                                             llvm::pred_end(call->getParent()));
    for (llvm::BasicBlock* block : before) {
      if (asks_for_thread(*block, thread) && reads_since_barrier(*block, barrier, thread)) {
        guards.emplace_back(call, block);
      }
    }
  }
  for (const auto& [call, block] : guards) {
    call->clone()->insertBefore(block->getTerminator()->getIterator());
  }
}

} // namespace gantry::link
