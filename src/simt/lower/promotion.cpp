#include "simt/lower/promotion.h"

#include <algorithm>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
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
  llvm::PromoteMemToReg(promoted, dominators);
}

} // namespace gantry::simt::lower
