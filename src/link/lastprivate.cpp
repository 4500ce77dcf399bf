#include "link/lastprivate.h"

#include "pass/runtime_calls.h"

#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

/// Of __kmpc_distribute_static_init: where it says whether the team has the last iteration.
constexpr unsigned kLastArgument = 3;
constexpr std::uint64_t kAlignment = 16;

/// Where the team that has had the loop's last iteration goes, behind it.
struct LastTeam {
  llvm::BranchInst* branch;
  unsigned side; ///< successor of the branch: the block for that team
};

/// Follows the variable in which the runtime says whether the team's iterations include the last.
std::vector<LastTeam> branches_on_last(llvm::Function& function) {
  std::vector<LastTeam> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!pass::name_of_callee(instruction).starts_with("__kmpc_distribute_static_init_")) {
      continue;
    }
    const llvm::Value* const last =
        llvm::cast<llvm::CallInst>(instruction).getArgOperand(kLastArgument)->stripPointerCasts();
    for (llvm::BasicBlock& block : function) {
      auto* const branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      const auto* const test = branch == nullptr || branch->isUnconditional()
                                   ? nullptr
                                   : llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
      const auto* const value =
          test == nullptr ? nullptr : llvm::dyn_cast<llvm::LoadInst>(test->getOperand(0));
      const auto* const zero =
          test == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(test->getOperand(1));
      if (value != nullptr && zero != nullptr && zero->isZero() && test->isEquality() &&
          value->getPointerOperand()->stripPointerCasts() == last) {
        found.push_back({branch, test->getPredicate() == llvm::CmpInst::ICMP_EQ ? 1U : 0U});
      }
    }
  }
  return found;
}

/// Whether the copy, as far as the team goes, is only handed to regions, and read behind the loop.
bool is_only_copied_back(const llvm::CallInst& copy, const llvm::BasicBlockEdge& to_last,
                         const llvm::DominatorTree& dominators) {
  bool is_read = false;
  for (const llvm::Use& use : copy.uses()) {
    const auto* const user = llvm::cast<llvm::Instruction>(use.getUser());
    const auto* const store = llvm::dyn_cast<llvm::StoreInst>(user);
    const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    if ((store != nullptr && store->getValueOperand() == &copy) ||
        (intrinsic != nullptr && intrinsic->isLifetimeStartOrEnd()) ||
        pass::name_of_callee(*user) == "__kmpc_free_shared") {
      continue;
    }
    if (!dominators.dominates(to_last, user->getParent())) {
      return false;
    }
    is_read = true;
  }
  return is_read;
}

void put_into_shared_memory(llvm::CallInst& copy) {
  const auto bytes = llvm::cast<llvm::ConstantInt>(copy.getArgOperand(0))->getZExtValue();
  llvm::Module& module = *copy.getModule();
  auto* const type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), bytes);
  auto* const variable = new llvm::GlobalVariable(
      module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
      llvm::PoisonValue::get(type), "lastprivate", nullptr, llvm::GlobalValue::NotThreadLocal,
      pass::kSharedSpace);
  variable->setAlignment(llvm::Align(kAlignment));
  for (llvm::User* user : llvm::make_early_inc_range(copy.users())) {
    auto* const instruction = llvm::cast<llvm::Instruction>(user);
    if (pass::name_of_callee(*instruction) == "__kmpc_free_shared") {
      instruction->eraseFromParent();
    }
  }
  copy.replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(variable, copy.getType()));
  copy.eraseFromParent();
}

/// Of threads that all execute the branch, one goes to the side of the last team.
void let_one_thread_copy(const LastTeam& last) {
  llvm::Module& module = *last.branch->getModule();
  llvm::IRBuilder<> builder(last.branch);
  const auto ask = [&](const char* name, llvm::Type* type) {
    return builder.CreateIsNull(
        builder.CreateCall(module.getOrInsertFunction(name, llvm::FunctionType::get(type, false))));
  };
  llvm::Value* const is_one =
      builder.CreateOr(ask("__kmpc_get_hardware_thread_id_in_block", builder.getInt32Ty()),
                       ask("__kmpc_is_spmd_exec_mode", builder.getInt8Ty()));
  llvm::Value* const condition = last.branch->getCondition();
  last.branch->setCondition(last.side == 0
                                ? builder.CreateAnd(condition, is_one)
                                : builder.CreateOr(condition, builder.CreateNot(is_one)));
}

void share_copies(llvm::Function& function) {
  const std::vector<LastTeam> branches = branches_on_last(function);
  if (branches.empty()) {
    return;
  }
  const llvm::DominatorTree dominators(function);
  for (const LastTeam& last : branches) {
    const llvm::BasicBlockEdge to_last(last.branch->getParent(),
                                       last.branch->getSuccessor(last.side));
    std::vector<llvm::CallInst*> copies;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const copy = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (copy != nullptr && pass::name_of_callee(*copy) == "__kmpc_alloc_shared" &&
          llvm::isa<llvm::ConstantInt>(copy->getArgOperand(0)) &&
          is_only_copied_back(*copy, to_last, dominators)) {
        copies.push_back(copy);
      }
    }
    for (llvm::CallInst* copy : copies) {
      put_into_shared_memory(*copy);
    }
    if (!copies.empty()) {
      let_one_thread_copy(last);
    }
  }
}

} // namespace

void share_lastprivate_copies(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      share_copies(function);
    }
  }
}

} // namespace gantry::link
