#include "simt/lower/shapes.h"

#include "simt/lower/operations.h"
#include "simt/ptx/module.h"

#include <algorithm>
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
  if (a.is_affine() && b.is_affine() && a.stride == b.stride && a.steps == b.steps) {
    return Shape::affine(a.stride, true, a.steps);
  }
  return Shape::varying();
}

} // namespace

Layout::Layout(llvm::Function& function, exec::Geometry geometry, bool local_addresses)
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
  } while (find_joins());
  find_regions();
}

// Blocks that lead to the return are found from it, backwards.
void Layout::find_ways_out() {
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

void Layout::make_order() {
  find_ways_out();
  place_blocks(nullptr, &function_.getEntryBlock());
  for (unsigned i = 0; i < order_.size(); ++i) {
    positions_[order_[i]] = i;
  }
}

// Appends the blocks of the loop (of the function, if null) that begins at `header`: a topological
// order of its blocks and inner loops, the latter as wholes.
void Layout::place_blocks(const llvm::Loop* loop, llvm::BasicBlock* header) {
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
    // What is visited last comes first: lanes on a way that ends in a trap go it before the others
    // return, or the trap would never be.
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

Shape Layout::shape(const llvm::Value* value) const {
  if (llvm::isa<llvm::Constant>(value)) {
    return Shape::uniform();
  }
  if (llvm::isa<llvm::Argument>(value)) {
    return Shape::varying();
  }
  return shapes_.lookup(value);
}

void Layout::compute_shapes() {
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

Shape Layout::compute(const llvm::Instruction& instruction) const {
  using llvm::Instruction;
  const auto operand = [&](unsigned index) { return shape(instruction.getOperand(index)); };
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    // With one value only as well: lanes that leave a loop in different passes take different ones
    // out.
    if (joins_.contains(phi->getParent()) &&
        !llvm::isa_and_nonnull<llvm::Constant>(phi->hasConstantValue())) {
      return Shape::varying();
    }
    Shape result;
    for (const llvm::Value* value : phi->incoming_values()) {
      result = joined(result, shape(value));
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
    const std::int64_t step =
        instruction.getOpcode() == Instruction::Add ? a.stride + b.stride : a.stride - b.stride;
    return Shape::affine(step, a.guarded || b.guarded, a.steps || b.steps);
  }
  case Instruction::Mul: {
    for (unsigned i = 0; i < 2; ++i) {
      const Shape of = operand(i);
      if (of.is_affine() && constant(1 - i) != nullptr) {
        const std::int64_t factor = constant(1 - i)->getSExtValue();
        if (factor > -(1 << 20) && factor < 1 << 20) {
          return Shape::affine(of.stride * factor, of.guarded, of.steps);
        }
      }
      if (of.is_affine() && of.stride == 0 && operand(1 - i).is_uniform()) {
        return of;
      }
    }
    break;
  }
  case Instruction::Shl:
    if (operand(0).is_affine() && constant(1) != nullptr && constant(1)->getZExtValue() < 20) {
      return Shape::affine(operand(0).stride << constant(1)->getZExtValue(), operand(0).guarded,
                           operand(0).steps);
    }
    break;
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
      return Shape::affine(operand(0).stride, true, operand(0).steps);
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
                               result.guarded || part.guarded, result.steps || part.steps);
      }
    }
    return result;
  }
  case Instruction::Select:
    if (operand(0).is_uniform() && operand(1).is_affine() && operand(1) == operand(2)) {
      return operand(1);
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

Shape Layout::compute_operation(const llvm::CallInst& call) const {
  const auto uniform_arguments = [&](unsigned from) {
    for (unsigned i = from; i < call.arg_size(); ++i) {
      if (!shape(call.getArgOperand(i)).is_uniform()) {
        return false;
      }
    }
    return true;
  };
  switch (*operation_of(call)) {
  case Operation::kSpecial: {
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
  case Operation::kLocalBase:
  case Operation::kLocalOffset:
  case Operation::kMatchAny:
  case Operation::kMatchAll:
  case Operation::kSystemCall:
  case Operation::kIndirectCall:
  case Operation::kDirectCall:
  case Operation::kShuffleValid:
    return Shape::varying();
  case Operation::kShuffle: {
    // From one lane to all: its value is everybody's.
    const auto* mode = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0));
    const auto* clamp = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3));
    const bool broadcast = static_cast<ShuffleMode>(mode->getZExtValue()) == ShuffleMode::kIndex &&
                           clamp != nullptr && clamp->getZExtValue() == 31 &&
                           shape(call.getArgOperand(2)).is_uniform() &&
                           shape(call.getArgOperand(4)).is_uniform();
    return broadcast || uniform_arguments(1) ? Shape::uniform() : Shape::varying();
  }
  case Operation::kVoteBallot:
    return shape(call.getArgOperand(1)).is_uniform() ? Shape::uniform() : Shape::varying();
  case Operation::kRedux:
    return shape(call.getArgOperand(2)).is_uniform() ? Shape::uniform() : Shape::varying();
  case Operation::kBarrier:
    // Lanes may name different barriers.
    return shape(call.getArgOperand(0)).is_uniform() && shape(call.getArgOperand(1)).is_uniform()
               ? Shape::uniform()
               : Shape::varying();
  case Operation::kActiveMask:
  case Operation::kClock:
  case Operation::kGlobalTimer:
  case Operation::kStackSave:
  case Operation::kAlloca:
    return Shape::uniform();
  default:
    return uniform_arguments(0) ? Shape::uniform() : Shape::varying();
  }
}

bool Layout::branches_apart(const llvm::BasicBlock* block) const {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  return branch != nullptr && branch->isConditional() &&
         branch->getSuccessor(0) != branch->getSuccessor(1) &&
         !shape(branch->getCondition()).is_uniform();
}

// Where the lanes that part at the end of `block` are together again: later in the order, and in
// the same pass of the loops around both. Where some come only after they have gone round, others
// have been there before. Nor is the header of such a loop a meeting: some come in the next pass of
// an inner loop and others, that have left it, in that of an outer one.
llvm::BasicBlock* Layout::meeting_of(llvm::BasicBlock* block) const {
  const auto* node = post_dominators_.getNode(block);
  for (node = node == nullptr ? nullptr : node->getIDom(); node != nullptr;
       node = node->getIDom()) {
    llvm::BasicBlock* meeting = node->getBlock();
    if (meeting == nullptr) {
      return return_;
    }
    if (position(meeting) > position(block) && !goes_round(block, meeting)) {
      return meeting;
    }
  }
  return return_;
}

// Whether lanes on the way from one block to the other may begin another pass of a loop that both
// are in.
bool Layout::goes_round(llvm::BasicBlock* block, llvm::BasicBlock* meeting) const {
  const std::vector<llvm::BasicBlock*> between = influence_of(block, meeting);
  return llvm::any_of(between, [&](const llvm::BasicBlock* at) {
    const llvm::Loop* loop = loops_.getLoopFor(at);
    return loop != nullptr && loop->getHeader() == at && loop->contains(block) &&
           loop->contains(meeting);
  });
}

std::vector<llvm::BasicBlock*> Layout::influence_of(llvm::BasicBlock* block,
                                                    llvm::BasicBlock* meeting) const {
  std::vector<llvm::BasicBlock*> found;
  llvm::DenseSet<llvm::BasicBlock*> seen;
  std::vector<llvm::BasicBlock*> work(llvm::succ_begin(block), llvm::succ_end(block));
  while (!work.empty()) {
    llvm::BasicBlock* next = work.back();
    work.pop_back();
    if (next == meeting || next == return_ || !seen.insert(next).second) {
      continue;
    }
    found.push_back(next);
    work.insert(work.end(), llvm::succ_begin(next), llvm::succ_end(next));
  }
  return found;
}

// Blocks that lanes come to on different ways: phis there pick by lane. True if there are new ones.
bool Layout::find_joins() {
  const std::size_t before = joins_.size();
  for (llvm::BasicBlock* block : order_) {
    if (!branches_apart(block)) {
      continue;
    }
    llvm::BasicBlock* meeting = meeting_of(block);
    llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*> labels;
    const std::vector<llvm::BasicBlock*> region = influence_of(block, meeting);
    llvm::DenseSet<const llvm::BasicBlock*> inside(region.begin(), region.end());
    if (meeting != nullptr) {
      inside.insert(meeting);
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
        joins_.insert(at);
        label = at;
      }
      if (label != nullptr) {
        labels[at] = label;
      }
    }
    // Lanes that leave a loop in different passes carry values of different passes out.
    for (const llvm::Loop* loop = loops_.getLoopFor(block); loop != nullptr;
         loop = loop->getParentLoop()) {
      if (loop->contains(meeting)) {
        break;
      }
      llvm::SmallVector<llvm::BasicBlock*> exits;
      loop->getExitBlocks(exits);
      joins_.insert(exits.begin(), exits.end());
    }
  }
  return joins_.size() != before;
}

void Layout::find_regions() {
  llvm::EquivalenceClasses<const llvm::BasicBlock*> regions;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> meetings; // of a block's branch
  for (llvm::BasicBlock* block : order_) {
    if (!branches_apart(block)) {
      continue;
    }
    llvm::BasicBlock* meeting = meeting_of(block);
    const std::vector<llvm::BasicBlock*> region = influence_of(block, meeting);
    for (llvm::BasicBlock* member : region) {
      divergent_.insert(member);
      regions.unionSets(region.front(), member);
      // Any member leads to the meeting point; which of several is outside decides below.
      llvm::BasicBlock*& known = meetings[member];
      if (known == nullptr || position(meeting) > position(known)) {
        known = meeting;
      }
    }
  }
  // The exit of a region is the last meeting point of its branches.
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> exits;
  for (const llvm::BasicBlock* member : divergent_) {
    llvm::BasicBlock*& exit = exits[regions.getLeaderValue(member)];
    llvm::BasicBlock* meeting = meetings.lookup(member);
    if (exit == nullptr || (meeting != nullptr && position(meeting) > position(exit))) {
      exit = meeting;
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

std::vector<llvm::BasicBlock*> Layout::loops_ending_at(llvm::BasicBlock* block) const {
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
