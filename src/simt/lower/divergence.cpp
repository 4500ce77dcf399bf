#include "simt/lower/divergence.h"

#include <algorithm>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Instructions.h>

namespace gantry::simt::lower {

DivergenceAnalysis::DivergenceAnalysis(llvm::Function& function, exec::Geometry geometry,
                                       bool local_addresses, bool one_lane)
    : function_(function), geometry_(geometry), local_addresses_(local_addresses),
      one_lane_(one_lane), dominators_(function), post_dominators_(function), loops_(dominators_) {
  for (llvm::BasicBlock& block : function) {
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
      return_ = &block;
    }
  }
  make_order();
  if (one_lane) {
    return;
  }
  do {
    compute_shapes();
  } while (find_divergent_joins());
  find_regions();
}

// Blocks that lead to the return are found from it, backwards.
void DivergenceAnalysis::find_ways_out() {
  std::vector<llvm::BasicBlock*> left;
  if (return_ != nullptr) {
    left.push_back(return_);
    returning_.insert(return_);
  }
  while (!left.empty()) {
    llvm::BasicBlock* const block = left.back();
    left.pop_back();
    for (llvm::BasicBlock* before : llvm::predecessors(block)) {
      if (returning_.insert(before).second) {
        left.push_back(before);
      }
    }
  }
}

void DivergenceAnalysis::make_order() {
  find_ways_out();
  place_blocks(nullptr, &function_.getEntryBlock());
  for (unsigned i = 0; i < order_.size(); ++i) {
    positions_[order_[i]] = i;
  }
}

// Appends the blocks of the loop (of the function, if null) that begins at `header`: a topological
// order of its blocks and inner loops, the latter as wholes.
void DivergenceAnalysis::place_blocks(const llvm::Loop* loop, llvm::BasicBlock* header) {
  // The node of a block: itself, or the header of the inner loop that it is in.
  const auto node_of = [&](llvm::BasicBlock* block) -> llvm::BasicBlock* {
    const llvm::Loop* inner = loops_.getLoopFor(block);
    while (inner != loop && inner != nullptr && inner->getParentLoop() != loop) {
      inner = inner->getParentLoop();
    }
    return inner == loop || inner == nullptr ? block : inner->getHeader();
  };
  const auto inner_loop = [&](llvm::BasicBlock* node) -> const llvm::Loop* {
    const llvm::Loop* inner = loops_.getLoopFor(node);
    while (inner != nullptr && inner != loop && inner->getParentLoop() != loop) {
      inner = inner->getParentLoop();
    }
    return inner == loop ? nullptr : inner;
  };
  const auto successors_of = [&](llvm::BasicBlock* node) {
    llvm::SmallVector<llvm::BasicBlock*> result;
    const auto add = [&](llvm::BasicBlock* target) {
      if ((loop == nullptr || loop->contains(target)) && target != header) {
        result.push_back(node_of(target));
      }
    };
    if (const llvm::Loop* inner = inner_loop(node)) {
      llvm::SmallVector<llvm::BasicBlock*> exits;
      inner->getExitBlocks(exits);
      std::for_each(exits.begin(), exits.end(), add);
    } else {
      for (llvm::BasicBlock* target : llvm::successors(node)) {
        add(target);
      }
    }
    // The block that is visited last is placed first, so that lanes execute a path that ends in a
    // trap before the others return.
    llvm::SmallVector<llvm::BasicBlock*> ordered;
    for (const bool returning : {true, false}) {
      std::copy_if(
          result.begin(), result.end(), std::back_inserter(ordered),
          [&](llvm::BasicBlock* target) { return returning_.contains(target) == returning; });
    }
    return ordered;
  };
  std::vector<llvm::BasicBlock*> finished;
  llvm::DenseSet<llvm::BasicBlock*> seen;
  struct Frame {
    llvm::BasicBlock* node;
    llvm::SmallVector<llvm::BasicBlock*> successors;
    std::size_t next;
  };
  std::vector<Frame> stack;
  seen.insert(header);
  stack.push_back({header, successors_of(header), 0});
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.successors.size()) {
      finished.push_back(frame.node);
      stack.pop_back();
      continue;
    }
    llvm::BasicBlock* target = frame.successors[frame.next++];
    if (seen.insert(target).second) {
      stack.push_back({target, successors_of(target), 0});
    }
  }
  std::reverse(finished.begin(), finished.end());
  for (llvm::BasicBlock* node : finished) {
    const llvm::Loop* inner = inner_loop(node);
    if (inner != nullptr) {
      place_blocks(inner, inner->getHeader());
    } else {
      order_.push_back(node);
    }
  }
}

bool DivergenceAnalysis::branches_apart(const llvm::BasicBlock* block) const {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  return branch != nullptr && branch->isConditional() &&
         branch->getSuccessor(0) != branch->getSuccessor(1) &&
         !shape(branch->getCondition()).is_uniform();
}

// The block where the lanes that diverge at the end of `block` reconverge: later in the order, and
// in the same iteration of the loops around both. Behind a loop's back edge, some lanes would
// arrive after another iteration, when others have passed already. The header of such a loop is no
// reconvergence point either: lanes arrive there in the next iteration of an inner loop, and those
// that have left it in the next one of an outer loop.
llvm::BasicBlock* DivergenceAnalysis::reconvergence_of(llvm::BasicBlock* block) const {
  const auto* node = post_dominators_.getNode(block);
  for (node = node == nullptr ? nullptr : node->getIDom(); node != nullptr;
       node = node->getIDom()) {
    llvm::BasicBlock* reconvergence = node->getBlock();
    if (reconvergence == nullptr) {
      return return_;
    }
    if (position(reconvergence) > position(block) && !goes_round(block, reconvergence)) {
      return reconvergence;
    }
  }
  return return_;
}

// Whether lanes on the way from one block to the other may begin another iteration of a loop around
// both.
bool DivergenceAnalysis::goes_round(llvm::BasicBlock* block,
                                    llvm::BasicBlock* reconvergence) const {
  const std::vector<llvm::BasicBlock*> between = influence_of(block, reconvergence);
  return llvm::any_of(between, [&](const llvm::BasicBlock* at) {
    const llvm::Loop* loop = loops_.getLoopFor(at);
    return loop != nullptr && loop->getHeader() == at && loop->contains(block) &&
           loop->contains(reconvergence);
  });
}

std::vector<llvm::BasicBlock*>
DivergenceAnalysis::influence_of(llvm::BasicBlock* block, llvm::BasicBlock* reconvergence) const {
  std::vector<llvm::BasicBlock*> found;
  llvm::DenseSet<llvm::BasicBlock*> seen;
  std::vector<llvm::BasicBlock*> work(llvm::succ_begin(block), llvm::succ_end(block));
  while (!work.empty()) {
    llvm::BasicBlock* next = work.back();
    work.pop_back();
    if (next == reconvergence || next == return_ || !seen.insert(next).second) {
      continue;
    }
    found.push_back(next);
    work.insert(work.end(), llvm::succ_begin(next), llvm::succ_end(next));
  }
  return found;
}

// Blocks that lanes reach on different paths, so that phis there select by lane. True if there are
// new ones.
bool DivergenceAnalysis::find_divergent_joins() {
  const std::size_t before = divergent_joins_.size();
  for (llvm::BasicBlock* block : order_) {
    if (!branches_apart(block)) {
      continue;
    }
    llvm::BasicBlock* reconvergence = reconvergence_of(block);
    llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*> labels;
    const std::vector<llvm::BasicBlock*> region = influence_of(block, reconvergence);
    llvm::DenseSet<const llvm::BasicBlock*> inside(region.begin(), region.end());
    if (reconvergence != nullptr) {
      inside.insert(reconvergence);
    }
    for (unsigned i = position(block) + 1; i < order_.size(); ++i) {
      const llvm::BasicBlock* at = order_[i];
      if (!inside.contains(at)) {
        continue;
      }
      const llvm::BasicBlock* label = nullptr;
      bool join = false;
      for (const llvm::BasicBlock* from : llvm::predecessors(at)) {
        if (position(from) >= i) {
          continue; // an edge back
        }
        const llvm::BasicBlock* came = from == block ? at : labels.lookup(from);
        if (came == nullptr) {
          continue;
        }
        join |= label != nullptr && label != came;
        label = came;
      }
      if (join) {
        divergent_joins_.insert(at);
        label = at;
      }
      if (label != nullptr) {
        labels[at] = label;
      }
    }
    // Lanes that leave a loop in different iterations carry values of different iterations out.
    for (const llvm::Loop* loop = loops_.getLoopFor(block); loop != nullptr;
         loop = loop->getParentLoop()) {
      if (loop->contains(reconvergence)) {
        break;
      }
      llvm::SmallVector<llvm::BasicBlock*> exits;
      loop->getExitBlocks(exits);
      divergent_joins_.insert(exits.begin(), exits.end());
    }
  }
  return divergent_joins_.size() != before;
}

void DivergenceAnalysis::find_regions() {
  llvm::EquivalenceClasses<const llvm::BasicBlock*> regions;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> reconvergences; // of a block's branch
  for (llvm::BasicBlock* block : order_) {
    if (!branches_apart(block)) {
      continue;
    }
    llvm::BasicBlock* reconvergence = reconvergence_of(block);
    const std::vector<llvm::BasicBlock*> region = influence_of(block, reconvergence);
    for (llvm::BasicBlock* member : region) {
      divergent_.insert(member);
      regions.unionSets(region.front(), member);
      // Any member leads to the reconvergence point; which of several is outside decides below.
      llvm::BasicBlock*& known = reconvergences[member];
      if (known == nullptr || position(reconvergence) > position(known)) {
        known = reconvergence;
      }
    }
  }
  // The exit of a region is the last reconvergence point of its branches.
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> exits;
  for (const llvm::BasicBlock* member : divergent_) {
    llvm::BasicBlock*& exit = exits[regions.getLeaderValue(member)];
    llvm::BasicBlock* reconvergence = reconvergences.lookup(member);
    if (exit == nullptr || (reconvergence != nullptr && position(reconvergence) > position(exit))) {
      exit = reconvergence;
    }
  }
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> following;
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    if (!divergent_.contains(*it)) {
      continue;
    }
    const llvm::BasicBlock* leader = regions.getLeaderValue(*it);
    llvm::BasicBlock* later = following.lookup(leader);
    llvm::BasicBlock* exit = exits.lookup(leader);
    next_[*it] = later != nullptr ? later : (exit != nullptr ? exit : return_);
    following[leader] = *it;
  }
}

std::vector<llvm::BasicBlock*> DivergenceAnalysis::loops_ending_at(llvm::BasicBlock* block) const {
  std::vector<llvm::BasicBlock*> headers;
  for (const llvm::Loop* loop = loops_.getLoopFor(block); loop != nullptr;
       loop = loop->getParentLoop()) {
    unsigned last = 0;
    for (const llvm::BasicBlock* member : loop->blocks()) {
      last = std::max(last, position(member));
    }
    if (last != position(block) || !is_divergent(loop->getHeader())) {
      break;
    }
    headers.push_back(loop->getHeader());
  }
  return headers;
}

} // namespace gantry::simt::lower
