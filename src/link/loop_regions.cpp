#include "link/loop_regions.h"

#include "pass/runtime_calls.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <vector>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace gantry::link {
namespace {

bool starts_with_any(llvm::StringRef name, std::initializer_list<llvm::StringRef> starts) {
  return std::ranges::any_of(starts,
                             [&](llvm::StringRef start) { return name.starts_with(start); });
}

bool begins_loop(const llvm::Value& value) {
  return starts_with_any(pass::name_of_callee(value),
                         {"__kmpc_for_static_init_", "__kmpc_dispatch_init_"});
}

bool ends_loop(const llvm::Value& value) {
  return starts_with_any(pass::name_of_callee(value),
                         {"__kmpc_for_static_fini", "__kmpc_dispatch_deinit"});
}

/// Memory that the thread alone knows.
bool is_own(const llvm::Value* pointer) {
  const llvm::Value* const object = llvm::getUnderlyingObject(pointer);
  return llvm::isa<llvm::AllocaInst>(object) ||
         pass::name_of_callee(*object) == "__kmpc_alloc_shared";
}

/// Whether nobody notices how many threads execute the instruction.
bool is_unnoticed(const llvm::Instruction& instruction) {
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return is_own(store->getPointerOperand());
  }
  if (const auto* const copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    return is_own(copy->getRawDest());
  }
  if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    return intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic() ||
           !intrinsic->mayHaveSideEffects();
  }
  return !instruction.mayHaveSideEffects() ||
         starts_with_any(pass::name_of_callee(instruction),
                         {"__kmpc_for_static_fini", "__kmpc_dispatch_", "__kmpc_barrier",
                          "__kmpc_alloc_shared", "__kmpc_free_shared", "__kmpc_global_thread_num",
                          "__kmpc_get_", pass::kReduceCalls[0]});
}

/// Of a branch on whether this thread is to add up a reduction: where the others go. Null for
/// other branches.
const llvm::BasicBlock* way_past_reduction(const llvm::Instruction& terminator) {
  const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&terminator);
  const auto* const test = branch == nullptr || branch->isUnconditional()
                               ? nullptr
                               : llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  const auto* const one =
      test == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(test->getOperand(1));
  if (one == nullptr || !one->isOne() || !test->isEquality() ||
      pass::name_of_callee(*test->getOperand(0)) != pass::kReduceCalls[0]) {
    return nullptr;
  }
  return branch->getSuccessor(test->getPredicate() == llvm::CmpInst::ICMP_EQ ? 1 : 0);
}

} // namespace

// Goes through what threads execute outside of loops: from the beginning and from each loop's end
// to the next loop's beginning.
bool has_only_loops(const llvm::Function& body) {
  std::vector<const llvm::Instruction*> left = {&body.getEntryBlock().front()};
  bool has_loop = false;
  bool has_end = false;
  for (const llvm::Instruction& instruction : llvm::instructions(body)) {
    has_loop |= begins_loop(instruction);
    if (ends_loop(instruction)) {
      has_end = true;
      left.push_back(instruction.getNextNode());
    }
  }
  std::set<const llvm::Instruction*> seen;
  while (!left.empty()) {
    const llvm::Instruction* at = left.back();
    left.pop_back();
    while (at != nullptr && seen.insert(at).second && !begins_loop(*at)) {
      if (!is_unnoticed(*at)) {
        return false;
      }
      if (const llvm::BasicBlock* const past =
              at->isTerminator() ? way_past_reduction(*at) : nullptr) {
        left.push_back(&past->front());
      } else if (at->isTerminator()) {
        for (const llvm::BasicBlock* next : llvm::successors(at->getParent())) {
          left.push_back(&next->front());
        }
      }
      at = at->getNextNode();
    }
  }
  return has_loop && has_end;
}

bool may_wait_for_threads(const llvm::Function& function) {
  return std::ranges::any_of(llvm::instructions(function), [](const llvm::Instruction& at) {
    const bool is_update = llvm::isa<llvm::AtomicRMWInst>(at) && at.use_empty();
    const bool is_signal = (at.isAtomic() && !is_update) || at.isVolatile();
    return is_signal ||
           starts_with_any(pass::name_of_callee(at), {"__kmpc_critical", "__kmpc_flush", "omp_set_",
                                                      "omp_unset_", "omp_test_"});
  });
}

} // namespace gantry::link
