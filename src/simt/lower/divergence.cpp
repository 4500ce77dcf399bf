#include "simt/lower/divergence.h"

#include "simt/lower/operations.h"
#include "simt/ptx/module.h"

#include <algorithm>
#include <cstdlib>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace gantry::simt::lower {

namespace {

using Kind = Shape::Kind;

Shape joined(Shape a, Shape b) {
  if (a.kind == Kind::kUnknown) {
    return b;
  }
  if (b.kind == Kind::kUnknown || a == b) {
    return a;
  }
  if (a.is_affine() && b.is_affine() && a.stride == b.stride &&
      a.has_row_stride == b.has_row_stride) {
    return Shape::affine(a.stride, true, a.has_row_stride);
  }
  if (a.is_uniform() && b.is_affine()) {
    return Shape::affine(b.stride, true, b.has_row_stride);
  }
  return a.is_affine() && b.is_uniform() ? joined(b, a) : Shape::varying();
}

/// Of a value that is one or the other of two for all lanes that execute it: what is affine in one
/// case is guarded, so that it is accessed as such while that is the case.
Shape chosen(Shape a, Shape b) {
  if (a.is_varying() && b.is_affine()) {
    return Shape::affine(b.stride, true, b.has_row_stride);
  }
  return a.is_affine() && b.is_varying() ? chosen(b, a) : joined(a, b);
}

} // namespace

DivergenceAnalysis::DivergenceAnalysis(llvm::Function& function, exec::Geometry geometry,
                                       bool local_addresses)
    : function_(function), geometry_(geometry), local_addresses_(local_addresses),
      dominators_(function), post_dominators_(function), loops_(dominators_) {
  for (llvm::BasicBlock& block : function) {
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
      return_ = &block;
    }
  }
  make_order();
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

Shape DivergenceAnalysis::shape(const llvm::Value* value) const {
  if (llvm::isa<llvm::Constant>(value)) {
    return Shape::uniform();
  }
  if (llvm::isa<llvm::Argument>(value)) {
    return Shape::varying();
  }
  return shapes_.lookup(value);
}

void DivergenceAnalysis::compute_shapes() {
  shapes_.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock* block : order_) {
      for (const llvm::Instruction& instruction : *block) {
        if (instruction.getType()->isVoidTy()) {
          continue;
        }
        const Shape now = compute(instruction);
        Shape& known = shapes_[&instruction];
        const Shape next = joined(known, now);
        if (!(next == known)) {
          known = next;
          changed = true;
        }
      }
    }
  }
}

Shape DivergenceAnalysis::compute(const llvm::Instruction& instruction) const {
  using llvm::Instruction;
  const auto operand = [&](unsigned index) { return shape(instruction.getOperand(index)); };
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    // Even with one incoming value: lanes that leave a loop in different iterations have different
    // values.
    if (divergent_joins_.contains(phi->getParent()) &&
        !llvm::isa_and_nonnull<llvm::Constant>(phi->hasConstantValue())) {
      return Shape::varying();
    }
    Shape result;
    const llvm::Loop* const loop = loops_.getLoopFor(phi->getParent());
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      const Shape next = shape(phi->getIncomingValue(i));
      // What every further iteration makes anew is not worth a guard.
      const bool again = loop != nullptr && loop->getHeader() == phi->getParent() &&
                         loop->contains(phi->getIncomingBlock(i));
      if (again && next.is_varying()) {
        return next;
      }
      result = chosen(result, next);
    }
    return result;
  }
  for (const llvm::Value* value : instruction.operands()) {
    if (shape(value).kind == Kind::kUnknown && !llvm::isa<llvm::BasicBlock>(value) &&
        !llvm::isa<llvm::Function>(value)) {
      return {};
    }
  }
  const auto constant = [&](unsigned index) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(index));
    return number != nullptr && number->getBitWidth() <= 64 ? number : nullptr;
  };
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub: {
    const Shape a = operand(0);
    const Shape b = operand(1);
    if (a.is_varying() || b.is_varying()) {
      return Shape::varying();
    }
    const std::int64_t stride =
        instruction.getOpcode() == Instruction::Add ? a.stride + b.stride : a.stride - b.stride;
    return Shape::affine(stride, a.guarded || b.guarded, a.has_row_stride || b.has_row_stride);
  }
  case Instruction::Mul: {
    for (unsigned i = 0; i < 2; ++i) {
      const Shape of = operand(i);
      if (of.is_affine() && constant(1 - i) != nullptr) {
        const std::int64_t factor = constant(1 - i)->getSExtValue();
        if (factor > -(1 << 20) && factor < 1 << 20) {
          return Shape::affine(of.stride * factor, of.guarded, of.has_row_stride);
        }
      }
      if (of.is_affine() && of.stride == 0 && operand(1 - i).is_uniform()) {
        return of;
      }
    }
    break;
  }
  case Instruction::Shl:
    // Up to 32 bits: a number of 32 bits is sign-extended by a shift up and one down.
    if (operand(0).is_affine() && constant(1) != nullptr && constant(1)->getZExtValue() <= 32 &&
        std::abs(operand(0).stride) < 1 << 20) {
      return Shape::affine(operand(0).stride << constant(1)->getZExtValue(), operand(0).guarded,
                           operand(0).has_row_stride);
    }
    break;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: {
    constexpr std::int64_t kLargest = 1 << 16;
    const Shape of = operand(0);
    const bool divides = instruction.getOpcode() == Instruction::UDiv ||
                         instruction.getOpcode() == Instruction::SDiv;
    if (of.is_affine() && !of.has_row_stride && of.stride > 0 && of.stride <= kLargest &&
        operand(1).is_uniform() && instruction.getType()->getIntegerBitWidth() >= 32 &&
        exec::row_width(geometry_) == exec::kLanes) {
      return Shape::affine(divides ? 0 : of.stride, true);
    }
    break;
  }
  case Instruction::Or:
    // Disjoint bits (a known alignment of the affine side would say more): only as an addition.
    if (llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) {
      const Shape a = operand(0);
      const Shape b = operand(1);
      // Disjoint in the lanes that execute it; lane 0 may not, so the base would be wrong.
      if (a.is_uniform() && b.is_uniform()) {
        return Shape::uniform();
      }
      return Shape::varying();
    }
    break;
  case Instruction::AShr:
    if (operand(0).is_affine() && !operand(0).has_row_stride && constant(1) != nullptr &&
        instruction.isExact() && constant(1)->getZExtValue() <= 32 &&
        operand(0).stride % (std::int64_t{1} << constant(1)->getZExtValue()) == 0) {
      return Shape::affine(operand(0).stride >> constant(1)->getZExtValue(), true);
    }
    break;
  case Instruction::Trunc:
  case Instruction::Freeze:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::BitCast:
    if (operand(0).is_affine() && !instruction.getType()->isFloatingPointTy()) {
      return operand(0);
    }
    break;
  case Instruction::ZExt:
  case Instruction::SExt:
    if (operand(0).is_affine() &&
        instruction.getOperand(0)->getType()->getIntegerBitWidth() >= 16) {
      return Shape::affine(operand(0).stride, true, operand(0).has_row_stride);
    }
    break;
  case Instruction::GetElementPtr: {
    // The one-lane form has byte offsets only (i8 elements).
    const auto& address = llvm::cast<llvm::GetElementPtrInst>(instruction);
    Shape result = operand(0);
    llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> scaled;
    llvm::APInt offset(64, 0);
    if (!address.collectOffset(function_.getDataLayout(), 64, scaled, offset)) {
      return Shape::varying();
    }
    for (const auto& [index, scale] : scaled) {
      const Shape part = shape(index);
      if (part.is_varying() || result.is_varying() ||
          (part.is_affine() && index->getType()->getIntegerBitWidth() != 64)) {
        return Shape::varying();
      }
      if (part.is_affine() || result.is_affine()) {
        result = Shape::affine(result.stride + part.stride * scale.getSExtValue(),
                               result.guarded || part.guarded,
                               result.has_row_stride || part.has_row_stride);
      }
    }
    return result;
  }
  case Instruction::Select:
    if (operand(0).is_uniform() && (operand(1).is_affine() || operand(2).is_affine()) &&
        !instruction.getType()->isFloatingPointTy()) {
      return chosen(operand(1), operand(2));
    }
    break;
  case Instruction::Load: {
    const auto& load = llvm::cast<llvm::LoadInst>(instruction);
    // One load for all lanes that execute it together; a lane's own memory is another in each.
    const unsigned space = load.getPointerAddressSpace();
    const bool own = space == kLocal || (space == kGeneric && local_addresses_);
    return operand(0).is_uniform() && !own ? Shape::uniform() : Shape::varying();
  }
  case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
    return Shape::varying();
  case Instruction::Alloca:
    return Shape::uniform(); // an offset in the lane's window
  case Instruction::Call:
    if (operation_of(instruction)) {
      return compute_operation(llvm::cast<llvm::CallInst>(instruction));
    }
    break;
  default:
    break;
  }
  for (const llvm::Value* value : instruction.operands()) {
    if (!shape(value).is_uniform() && !llvm::isa<llvm::Function>(value)) {
      return Shape::varying();
    }
  }
  return Shape::uniform();
}

Shape DivergenceAnalysis::compute_operation(const llvm::CallInst& call) const {
  const auto uniform_arguments = [&](unsigned from) {
    for (unsigned i = from; i < call.arg_size(); ++i) {
      if (!shape(call.getArgOperand(i)).is_uniform()) {
        return false;
      }
    }
    return true;
  };
  switch (*operation_of(call)) {
  case LaneOperation::kSpecial: {
    using ptx::SpecialRegister;
    const bool general = geometry_ == exec::Geometry::kGeneral;
    const bool rows = exec::row_width(geometry_) < exec::kLanes;
    switch (static_cast<SpecialRegister>(
        llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue())) {
    case SpecialRegister::kTidX:
      return general ? Shape::varying() : Shape::affine(1, false);
    case SpecialRegister::kTidY:
      return general ? Shape::varying() : Shape::affine(0, false, rows);
    case SpecialRegister::kTidZ:
      return general ? Shape::varying() : Shape::uniform();
    case SpecialRegister::kLaneid:
      return Shape::affine(1, false, rows);
    case SpecialRegister::kLanemaskEq:
    case SpecialRegister::kLanemaskLe:
    case SpecialRegister::kLanemaskLt:
    case SpecialRegister::kLanemaskGe:
    case SpecialRegister::kLanemaskGt:
      return Shape::varying();
    default:
      return Shape::uniform();
    }
  }
  case LaneOperation::kLocalBase:
  case LaneOperation::kLocalOffset:
  case LaneOperation::kMatchAny:
  case LaneOperation::kMatchAll:
  case LaneOperation::kSystemCall:
  case LaneOperation::kIndirectCall:
  case LaneOperation::kDirectCall:
  case LaneOperation::kShuffleValid:
    return Shape::varying();
  case LaneOperation::kShuffle: {
    // From one lane to all: its value is everybody's.
    const auto* mode = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0));
    const auto* clamp = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3));
    const bool broadcast = static_cast<ShuffleMode>(mode->getZExtValue()) == ShuffleMode::kIndex &&
                           clamp != nullptr && clamp->getZExtValue() == 31 &&
                           shape(call.getArgOperand(2)).is_uniform() &&
                           shape(call.getArgOperand(4)).is_uniform();
    return broadcast || uniform_arguments(1) ? Shape::uniform() : Shape::varying();
  }
  case LaneOperation::kVoteBallot:
    return shape(call.getArgOperand(1)).is_uniform() ? Shape::uniform() : Shape::varying();
  case LaneOperation::kRedux:
    return shape(call.getArgOperand(2)).is_uniform() ? Shape::uniform() : Shape::varying();
  case LaneOperation::kBarrier:
    // Lanes may name different barriers.
    return shape(call.getArgOperand(0)).is_uniform() && shape(call.getArgOperand(1)).is_uniform()
               ? Shape::uniform()
               : Shape::varying();
  case LaneOperation::kActiveMask:
  case LaneOperation::kClock:
  case LaneOperation::kGlobalTimer:
  case LaneOperation::kStackSave:
  case LaneOperation::kAlloca:
    return Shape::uniform();
  default:
    return uniform_arguments(0) ? Shape::uniform() : Shape::varying();
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
