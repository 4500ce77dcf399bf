#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>

namespace gantry::simt::lower {

using exec::Warp;

WarpFunction::WarpFunction(llvm::Function& scalar, const WarpOptions& options)
    : scalar_(scalar), options_(options), width_(exec::row_width(options.geometry)),
      divergence_(scalar, options.geometry, options.local_addresses, options.one_lane),
      context_(scalar.getContext()), builder_(context_), next_range_(options.first_range) {}

llvm::Function* WarpFunction::build() {
  auto* pointer = llvm::PointerType::get(context_, 0);
  llvm::SmallVector<Type*> arguments = {pointer, builder_.getInt32Ty()};
  if (options_.one_lane) {
    for (const llvm::Argument& argument : scalar_.args()) {
      arguments.push_back(scalar_type(argument.getType()));
    }
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(scalar_type(scalar_.getReturnType()), arguments, false),
        llvm::Function::InternalLinkage, "lane_loop", scalar_.getParent());
  } else {
    arguments.append({pointer, pointer});
    function_ =
        llvm::Function::Create(llvm::FunctionType::get(builder_.getVoidTy(), arguments, false),
                               llvm::Function::ExternalLinkage, "code", scalar_.getParent());
  }
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  warp_ = function_->getArg(0);
  scan();
  make_frame();
  for (llvm::BasicBlock* block : divergence_.order()) {
    heads_[block] = llvm::BasicBlock::Create(context_, "block", function_);
    if (divergence_.is_divergent(block)) {
      ends_[block] = llvm::BasicBlock::Create(context_, "behind", function_);
      pending_[block] = variable(builder_.getInt32Ty(), "pending");
    }
  }
  return_ = llvm::BasicBlock::Create(context_, "return", function_);
  for (llvm::BasicBlock* block : divergence_.order()) {
    emit_block(*block);
  }
  builder_.SetInsertPoint(return_);
  if (uses_local_) {
    builder_.CreateStore(saved_local_, field(offsetof(Warp, local_used), nullptr, false));
  }
  if (options_.one_lane) {
    builder_.CreateUnreachable(); // nothing in it suspends
  } else {
    builder_.CreateRetVoid();
  }
  builder_.SetInsertPoint(frame_);
  for (const auto& [block, slot] : pending_) {
    builder_.CreateStore(number(0), slot);
  }
  builder_.CreateBr(heads_[&scalar_.getEntryBlock()]);
  return function_;
}

// Which parts of the frame the function needs, and whether it can suspend.
void WarpFunction::scan() {
  for (const llvm::BasicBlock* block : divergence_.order()) {
    for (const llvm::Instruction& instruction : *block) {
      if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        uses_local_ = true;
        (void)local;
      }
      const std::optional<LaneOperation> operation = operation_of(instruction);
      if (!operation) {
        continue;
      }
      switch (*operation) {
      case LaneOperation::kAlloca:
      case LaneOperation::kStackRestore:
        uses_local_ = true;
        break;
      case LaneOperation::kShuffle:
      case LaneOperation::kVoteBallot:
      case LaneOperation::kMatchAny:
      case LaneOperation::kMatchAll:
      case LaneOperation::kRedux:
      case LaneOperation::kWarpBarrier:
      case LaneOperation::kBarrier:
      case LaneOperation::kNanosleep:
        may_suspend_ = lanes_may_end_ = true;
        break;
      case LaneOperation::kBarrierArrive:
        // Barriers begin anew with each block only where blocks may suspend (exec/run/grid.cpp).
        may_suspend_ = true;
        break;
      case LaneOperation::kExit:
        lanes_may_end_ = true;
        break;
      case LaneOperation::kAsync:
      case LaneOperation::kAsyncWait:
        // Barriers in shared memory, too, begin anew with each block only then.
        may_suspend_ = true;
        lanes_may_end_ |= *operation == LaneOperation::kAsyncWait;
        [[fallthrough]];
      case LaneOperation::kSystemCall:
        argument_words_ =
            std::max(argument_words_,
                     static_cast<unsigned>(llvm::cast<llvm::CallInst>(instruction).arg_size()));
        result_words_ = std::max(result_words_, 1U);
        break;
      case LaneOperation::kMatrix:
      case LaneOperation::kDirectCall:
      case LaneOperation::kIndirectCall: {
        may_suspend_ = lanes_may_end_ = true;
        const auto& call = llvm::cast<llvm::CallInst>(instruction);
        argument_words_ = std::max(argument_words_, static_cast<unsigned>(call.arg_size()));
        if (const auto* results = llvm::dyn_cast<llvm::StructType>(call.getType())) {
          result_words_ = std::max(result_words_, results->getNumElements());
        }
        break;
      }
      default:
        break;
      }
    }
  }
  for (const llvm::Loop* loop : divergence_.loops().getLoopsInPreorder()) {
    if (loop_may_wait(loop->getHeader())) {
      may_suspend_ = lanes_may_end_ = true;
      reconvergence_points_.insert(loop->getHeader());
    }
  }
  for (const llvm::BasicBlock* block : divergence_.order()) {
    if (lanes_may_end_ && divergence_.is_divergent(block) && divergence_.next(block) != nullptr &&
        !divergence_.is_divergent(divergence_.next(block))) {
      reconvergence_points_.insert(divergence_.next(block));
    }
  }
}

void WarpFunction::make_frame() {
  frame_ = llvm::BasicBlock::Create(context_, "frame", function_);
  builder_.SetInsertPoint(frame_);
  together_ = variable(builder_.getInt32Ty(), "together");
  const auto words = [&](unsigned count, const char* name) {
    llvm::AllocaInst* slot = variable(
        llvm::ArrayType::get(builder_.getInt64Ty(), std::uint64_t{count} * exec::kLanes), name);
    slot->setAlignment(llvm::Align(64));
    return slot;
  };
  words_in_ = words(std::max(argument_words_, 1U), "arguments");
  words_out_ = words(std::max(result_words_, 1U), "results");
  for (llvm::AllocaInst*& slot : scratch_) {
    slot = words(1, "scratch");
  }
  builder_.SetInsertPoint(frame_);
  builder_.CreateStore(function_->getArg(1), together_);
  if (!options_.is_entry && !options_.one_lane) {
    // Nested too deep: the rest of the stack is for the functions of exec/.
    auto* name = llvm::MDNode::get(context_, llvm::MDString::get(context_, "rsp"));
    Value* at = builder_.CreateIntrinsic(llvm::Intrinsic::read_register, {builder_.getInt64Ty()},
                                         {llvm::MetadataAsValue::get(context_, name)});
    Value* limit = field(offsetof(Warp, stack_limit), builder_.getInt64Ty(), true);
    trap_in_front(builder_.CreateICmpULT(at, limit), exec::Trap::kStackOverflow);
  }
  if (!uses_local_) {
    return;
  }
  Value* place = field(offsetof(Warp, local_used), nullptr, false);
  saved_local_ = builder_.CreateLoad(builder_.getInt32Ty(), place);
  std::uint64_t size = 0;
  for (const llvm::BasicBlock* block : divergence_.order()) {
    for (const llvm::Instruction& instruction : *block) {
      if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        size = llvm::alignTo(size, local->getAlign());
        local_offsets_[local] = size;
        size += *local->getAllocationSize(scalar_.getDataLayout());
      }
    }
  }
  Value* base = builder_.CreateAnd(builder_.CreateAdd(saved_local_, number(63)), number(~63U));
  local_frame_ = builder_.CreateZExt(base, builder_.getInt64Ty());
  Value* used = builder_.CreateAdd(local_frame_, number(size, 64));
  Value* limit = builder_.CreateZExt(field(offsetof(Warp, local_size), builder_.getInt32Ty(), true),
                                     builder_.getInt64Ty());
  trap_in_front(builder_.CreateICmpUGT(used, limit), exec::Trap::kLocalOverflow);
  builder_.CreateStore(builder_.CreateTrunc(used, builder_.getInt32Ty()), place);
}

void WarpFunction::trap_in_front(Value* condition, exec::Trap trap) {
  auto* bad = new_block("trap");
  frame_ = new_block("fits");
  builder_.CreateCondBr(condition, bad, frame_);
  builder_.SetInsertPoint(bad);
  call_service(offsetof(exec::Services, trap), builder_.getVoidTy(),
               {warp_, function_->getArg(1), number(static_cast<unsigned>(trap)),
                number(options_.first_site, 64)});
  builder_.CreateUnreachable();
  builder_.SetInsertPoint(frame_);
}

llvm::BasicBlock* WarpFunction::new_block(const char* name) {
  return llvm::BasicBlock::Create(context_, name, function_);
}

llvm::AllocaInst* WarpFunction::variable(Type* type, const char* name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type, nullptr, name);
}

// A member of Warp: its value, or with a null type its address. Constant ones are read once, in
// front.
llvm::Value* WarpFunction::field(std::size_t offset, Type* type, bool constant) {
  if (type == nullptr || !constant) {
    Value* address = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), warp_, offset);
    return type == nullptr ? address : builder_.CreateLoad(type, address);
  }
  Value*& value = fields_[offset];
  if (value == nullptr) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    auto it = entry.begin();
    while (llvm::isa<llvm::AllocaInst>(*it)) {
      ++it;
    }
    llvm::IRBuilder<> at(&entry, it);
    auto* load = at.CreateLoad(type, at.CreateConstGEP1_64(at.getInt8Ty(), warp_, offset));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    value = load;
  }
  return value;
}

llvm::Value* WarpFunction::service(std::size_t offset) {
  Value* table = field(offsetof(Warp, services), builder_.getPtrTy(), true);
  auto* load = builder_.CreateLoad(
      builder_.getPtrTy(), builder_.CreateConstGEP1_64(builder_.getInt8Ty(), table, offset));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

llvm::Value* WarpFunction::call_service(std::size_t offset, Type* result,
                                        llvm::ArrayRef<Value*> arguments) {
  llvm::SmallVector<Type*> types;
  for (const Value* argument : arguments) {
    types.push_back(argument->getType());
  }
  auto* call = builder_.CreateCall(llvm::FunctionType::get(result, types, false), service(offset),
                                   arguments);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  return call;
}

void WarpFunction::set_mask(Value* mask) {
  mask_ = mask;
  if (!divergence_.is_divergent(block_)) {
    builder_.CreateStore(mask, together_);
  }
}

void WarpFunction::resume() {
  Value* left =
      builder_.CreateAnd(mask_, field(offsetof(Warp, live), builder_.getInt32Ty(), false));
  auto* on = new_block("on");
  builder_.CreateCondBr(builder_.CreateIsNotNull(left), on, leave_);
  builder_.SetInsertPoint(on);
  set_mask(left);
}

void WarpFunction::emit_block(llvm::BasicBlock& block) {
  block_ = &block;
  warp_values_.clear();
  builder_.SetInsertPoint(heads_[&block]);
  const bool divergent = divergence_.is_divergent(&block);
  leave_ = divergent ? ends_[&block] : return_;
  if (divergent) {
    Value* lanes = builder_.CreateLoad(builder_.getInt32Ty(), pending_[&block]);
    if (lanes_may_end_) {
      lanes = builder_.CreateAnd(lanes, field(offsetof(Warp, live), builder_.getInt32Ty(), false));
    }
    builder_.CreateStore(number(0), pending_[&block]);
    auto* body = new_block("body");
    builder_.CreateCondBr(builder_.CreateIsNotNull(lanes), body, ends_[&block]);
    builder_.SetInsertPoint(body);
    mask_ = lanes;
  } else {
    mask_ = builder_.CreateLoad(builder_.getInt32Ty(), together_);
    if (reconvergence_points_.contains(&block)) {
      resume();
    }
  }
  emit_phis(block);
  for (const llvm::Instruction& instruction : block) {
    if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator()) {
      emit(instruction);
    }
  }
  emit_terminator(block);
  if (divergent) {
    leave_block(block);
  }
}

void WarpFunction::emit_terminator(llvm::BasicBlock& block) {
  const llvm::Instruction& terminator = *block.getTerminator();
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator)) {
    emit_branch(block, *branch);
  } else if (const auto* result = llvm::dyn_cast<llvm::ReturnInst>(&terminator)) {
    emit_return(*result);
  } else {
    builder_.CreateBr(leave_); // unreachable: behind what never returns
  }
}

void WarpFunction::emit_branch(llvm::BasicBlock& block, const llvm::BranchInst& branch) {
  const bool divergent = divergence_.is_divergent(&block);
  const auto add_pending = [&](llvm::BasicBlock* target, Value* lanes) {
    if (divergence_.is_divergent(target)) {
      Value* before = builder_.CreateLoad(builder_.getInt32Ty(), pending_[target]);
      builder_.CreateStore(builder_.CreateOr(before, lanes), pending_[target]);
    }
  };
  const auto yields_to = [&](llvm::BasicBlock* target) {
    // An edge back of a loop whose blocks all lanes execute together.
    return !divergent && divergence_.position(target) <= divergence_.position(&block) &&
           loop_may_wait(target);
  };
  if (branch.isUnconditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) {
    llvm::BasicBlock* target = branch.getSuccessor(0);
    pass_phi_values(block, {{target, mask_}}, true);
    add_pending(target, mask_);
    if (yields_to(target)) {
      go_back(target, nullptr);
      return;
    }
    builder_.CreateBr(divergent ? ends_[&block] : heads_[target]);
    return;
  }
  llvm::BasicBlock* yes = branch.getSuccessor(0);
  llvm::BasicBlock* no = branch.getSuccessor(1);
  const bool uniform = shape(branch.getCondition()).is_uniform();
  if (uniform && !divergent) {
    // The phis of the other target are not read before another edge gives them a value.
    Value* condition = scalar(branch.getCondition());
    auto* to_yes = new_block("to");
    auto* to_no = new_block("to");
    const llvm::DenseMap<const Value*, WarpValue> warp_values = warp_values_;
    builder_.CreateCondBr(condition, to_yes, to_no);
    for (const auto& [edge, target] : {std::pair{to_yes, yes}, {to_no, no}}) {
      builder_.SetInsertPoint(edge);
      warp_values_ = warp_values;
      pass_phi_values(block, {{target, mask_}}, true);
      add_pending(target, mask_);
      if (yields_to(target)) {
        go_back(target, nullptr);
      } else {
        builder_.CreateBr(heads_[target]);
      }
    }
    return;
  }
  Value* taken = uniform ? builder_.CreateSelect(scalar(branch.getCondition()), mask_, number(0))
                         : builder_.CreateAnd(mask_bits(vector(branch.getCondition())), mask_);
  Value* not_taken = builder_.CreateXor(mask_, taken);
  pass_phi_values(block, {{yes, taken}, {no, not_taken}}, false);
  add_pending(yes, taken);
  add_pending(no, not_taken);
  if (divergent) {
    builder_.CreateBr(ends_[&block]);
    return;
  }
  // Lanes diverge here: goes on with the first of the blocks that some of them go to.
  llvm::BasicBlock* first = divergence_.position(yes) < divergence_.position(no) ? yes : no;
  builder_.CreateBr(heads_[first]);
}

// Leaves a divergent block: back to the header of a loop that ends here while lanes are in it, else
// to the next block of the region.
void WarpFunction::leave_block(llvm::BasicBlock& block) {
  builder_.SetInsertPoint(ends_[&block]);
  for (llvm::BasicBlock* header : divergence_.loops_ending_at(&block)) {
    auto* otherwise = new_block("out");
    go_back(header, otherwise);
    builder_.SetInsertPoint(otherwise);
  }
  llvm::BasicBlock* next = divergence_.next(&block);
  builder_.CreateBr(next != nullptr ? heads_[next] : return_);
}

// To the header of a loop: if it has divergent blocks, while lanes are pending there, else
// `otherwise`.
void WarpFunction::go_back(llvm::BasicBlock* header, llvm::BasicBlock* otherwise) {
  Value* lanes = mask_;
  if (otherwise != nullptr) {
    lanes = builder_.CreateLoad(builder_.getInt32Ty(), pending_[header]);
    if (lanes_may_end_) {
      lanes = builder_.CreateAnd(lanes, field(offsetof(Warp, live), builder_.getInt32Ty(), false));
    }
    auto* again = new_block("again");
    builder_.CreateCondBr(builder_.CreateIsNotNull(lanes), again, otherwise);
    builder_.SetInsertPoint(again);
  }
  if (loop_may_wait(header)) {
    Value* place = field(offsetof(Warp, fuel), nullptr, false);
    Value* fuel = builder_.CreateSub(builder_.CreateLoad(builder_.getInt32Ty(), place), number(1));
    builder_.CreateStore(fuel, place);
    auto* empty = new_block("yield");
    builder_.CreateCondBr(builder_.CreateICmpSLE(fuel, number(0)), empty, heads_[header]);
    builder_.SetInsertPoint(empty);
    call_service(offsetof(exec::Services, yield), builder_.getVoidTy(),
                 {warp_, lanes, number(options_.first_site, 64)});
  }
  builder_.CreateBr(heads_[header]);
}

// Whether a loop may wait for another thread: it has an atomic or volatile access, calls a
// function, sleeps, or reads a clock.
bool WarpFunction::loop_may_wait(const llvm::BasicBlock* header) const {
  const llvm::Loop* loop = divergence_.loops().getLoopFor(header);
  if (options_.one_lane || loop == nullptr || loop->getHeader() != header) {
    return false;
  }
  for (const llvm::BasicBlock* block : loop->blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (instruction.isAtomic() || instruction.isVolatile()) {
        return true;
      }
      const std::optional<LaneOperation> operation = operation_of(instruction);
      if (operation &&
          (*operation == LaneOperation::kDirectCall || *operation == LaneOperation::kIndirectCall ||
           *operation == LaneOperation::kAsync || *operation == LaneOperation::kAsyncWait ||
           *operation == LaneOperation::kNanosleep || *operation == LaneOperation::kClock ||
           *operation == LaneOperation::kGlobalTimer)) {
        return true;
      }
    }
  }
  return false;
}

void WarpFunction::emit_return(const llvm::ReturnInst& terminator) {
  if (options_.one_lane) {
    builder_.CreateRet(scalar(terminator.getReturnValue()));
    return;
  }
  if (const Value* result = terminator.getReturnValue()) {
    const auto* type = llvm::cast<llvm::StructType>(result->getType());
    Value* words = vector(result);
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      Value* address = builder_.CreateConstGEP1_64(builder_.getInt64Ty(), function_->getArg(3),
                                                   std::uint64_t{i} * exec::kLanes);
      builder_.CreateAlignedStore(builder_.CreateExtractValue(words, i), address, llvm::Align(64));
    }
  }
  builder_.CreateBr(return_);
}

} // namespace gantry::simt::lower
