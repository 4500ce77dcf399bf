#include "simt/lower/promotion.h"

#include <algorithm>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>
#include <vector>

namespace gantry::simt::lower {

namespace {

/// Blocks that promoted vectors may live in, summed up over the vectors: these, and more for each
/// block of the function.
constexpr std::size_t kLifetimes = 1500;
constexpr std::size_t kLifetimesPerBlock = 6;
/// How much more often a loop's block is executed than the block around.
constexpr double kLoopFactor = 8;

struct Candidate {
  std::size_t number; ///< in the frame
  llvm::AllocaInst* variable;
  std::size_t blocks; ///< that it lives in, about: from the first to the last that mention it
  double uses;        ///< weighted by loops
};

bool is_wide(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && vector->getPrimitiveSizeInBits() > 64;
}

/// A block at whose end a variable has a known value, in front of all accesses but the store of
/// that value.
struct Beginning {
  llvm::BasicBlock* block;
  llvm::Value* value;
};

/// The last such block that dominates the accesses, of which there is at least one; the entry if it
/// cannot be found. What has not been set is undefined in the lanes that have not set it alone, so
/// it is no poison, of which one lane would spoil the mask that a condition becomes.
Beginning beginning(const llvm::AllocaInst& variable, llvm::ArrayRef<llvm::Instruction*> accesses,
                    const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops) {
  llvm::Value* const undefined = llvm::UndefValue::get(variable.getAllocatedType());
  const Beginning entry{const_cast<llvm::BasicBlock*>(variable.getParent()), undefined};
  if (!llvm::all_of(accesses, [&](const llvm::Instruction* access) {
        return dominators.isReachableFromEntry(access->getParent());
      })) {
    return entry;
  }
  // Many variables are set in the frame, and otherwise used far behind it.
  llvm::Instruction* const highest =
      *llvm::min_element(accesses, [&](const llvm::Instruction* a, const llvm::Instruction* b) {
        return dominators.getNode(a->getParent())->getLevel() <
               dominators.getNode(b->getParent())->getLevel();
      });
  const auto* first = llvm::dyn_cast<llvm::StoreInst>(highest);
  llvm::BasicBlock* common = nullptr;
  for (const llvm::Instruction* access : accesses) {
    if (access != first) {
      auto* const block = const_cast<llvm::BasicBlock*>(access->getParent());
      common = common == nullptr ? block : dominators.findNearestCommonDominator(common, block);
    }
  }
  if (common == nullptr) {
    return entry;
  }
  if (first != nullptr && (loops.getLoopFor(first->getParent()) != nullptr ||
                           !dominators.properlyDominates(first->getParent(), common))) {
    first = nullptr;
    common = dominators.findNearestCommonDominator(common, highest->getParent());
  }
  // What an iteration stores comes to the next one.
  if (const llvm::Loop* loop = loops.getLoopFor(common)) {
    common = loop->getOutermostLoop()->getHeader();
  }
  const auto* const above = dominators.getNode(common)->getIDom();
  if (above == nullptr) {
    return entry;
  }
  return {above->getBlock(),
          first != nullptr ? const_cast<llvm::Value*>(first->getValueOperand()) : undefined};
}

/// Replaces the variable by values: from each load back to the stores before it, through the blocks
/// that the variable lives in. LLVM's PromoteMemToReg looks at all blocks that a variable's stores
/// dominate, which of a large function's variables takes the square of their number.
void promote(llvm::AllocaInst& variable, const llvm::DominatorTree& dominators,
             const llvm::LoopInfo& loops) {
  llvm::SmallVector<llvm::Instruction*> accesses;
  for (llvm::User* user : variable.users()) {
    accesses.push_back(llvm::cast<llvm::Instruction>(user));
  }
  if (!accesses.empty()) {
    llvm::SSAUpdater values;
    llvm::LoadAndStorePromoter promoter(accesses, values, variable.getName());
    const Beginning known = beginning(variable, accesses, dominators, loops);
    values.AddAvailableValue(known.block, known.value);
    promoter.run(accesses);
  }
  variable.eraseFromParent();
}

} // namespace

void promote_variables(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  llvm::DenseMap<const llvm::BasicBlock*, std::size_t> positions;
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  for (const llvm::BasicBlock* block : order) {
    positions.insert({block, positions.size()});
  }
  std::vector<llvm::AllocaInst*> promoted;
  std::vector<Candidate> candidates;
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable == nullptr || !llvm::isAllocaPromotable(variable)) {
      continue;
    }
    if (!is_wide(variable->getAllocatedType())) {
      promoted.push_back(variable);
      continue;
    }
    std::size_t first = positions.size(), last = 0;
    double uses = 0;
    for (const llvm::User* user : variable->users()) {
      const llvm::BasicBlock* block = llvm::cast<llvm::Instruction>(user)->getParent();
      const auto found = positions.find(block);
      if (found == positions.end()) {
        continue;
      }
      first = std::min(first, found->second);
      last = std::max(last, found->second);
      double weight = 1;
      for (unsigned depth = loops.getLoopDepth(block); depth != 0; --depth) {
        weight *= kLoopFactor;
      }
      uses += weight;
      // It lives all through a loop that it is used in.
      if (const llvm::Loop* loop = loops.getLoopFor(block)) {
        first = std::min(first, positions.lookup(loop->getHeader()));
      }
    }
    candidates.push_back({candidates.size(), variable, last < first ? 0 : last - first + 1, uses});
  }
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    const double of_a = a.uses * static_cast<double>(b.blocks);
    const double of_b = b.uses * static_cast<double>(a.blocks);
    return of_a != of_b ? of_a > of_b : a.number < b.number;
  });
  std::size_t left = kLifetimes + kLifetimesPerBlock * positions.size();
  for (const Candidate& candidate : candidates) {
    if (candidate.blocks <= left) {
      left -= candidate.blocks;
      promoted.push_back(candidate.variable);
    }
  }
  for (llvm::AllocaInst* variable : promoted) {
    promote(*variable, dominators, loops);
  }
}

} // namespace gantry::simt::lower
