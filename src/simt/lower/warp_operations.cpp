// The operations of operations.h, as code for a warp.
#include "simt/exec/warp/special_registers.h"
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>

namespace gantry::simt::lower {

using exec::Exchange;
using exec::kLanes;
using exec::Services;
using exec::Warp;

void WarpFunction::emit_operation(const llvm::CallInst& call, LaneOperation operation) {
  auto* word = builder_.getInt32Ty();
  auto* wide = builder_.getInt64Ty();
  const auto argument = [&](unsigned index) { return call.getArgOperand(index); };
  switch (operation) {
  case LaneOperation::kSpecial:
    emit_special(call);
    return;
  case LaneOperation::kVariable: {
    Value* table = field(offsetof(Warp, variables), builder_.getPtrTy(), true);
    auto* address =
        builder_.CreateLoad(wide, builder_.CreateConstGEP1_64(wide, table, constant_of(call, 0)));
    address->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    define_scalar(call, address);
    return;
  }
  case LaneOperation::kParameters:
    define_scalar(call, field(offsetof(Warp, parameters), wide, true));
    return;
  case LaneOperation::kFunction:
    define_scalar(call, builder_.CreateAdd(field(offsetof(Warp, function_base), wide, true),
                                           number(16 * std::uint64_t{constant_of(call, 0)}, 64)));
    return;
  case LaneOperation::kSharedBase:
    define_scalar(call, field(offsetof(Warp, shared), wide, true));
    return;
  case LaneOperation::kLocalBase: {
    MemoryAccess access{};
    access.space = kLocal;
    define_vector(call, host_vector(access, splat(number(0, 64))));
    return;
  }
  case LaneOperation::kLocalOffset: {
    Value* local = nullptr;
    define_vector(call, offsets_in_local(vector(argument(0)), &local));
    return;
  }
  case LaneOperation::kArithmetic: {
    Value* all = mask_;
    const bool uniform = shape(&call).is_uniform();
    for (unsigned i = 0; i < 3; ++i) {
      builder_.CreateAlignedStore(vector(argument(i + 1)), scratch_[i], llvm::Align(64));
    }
    call_service(offsetof(Services, arithmetic), builder_.getVoidTy(),
                 {scalar(argument(0)), uniform ? static_cast<Value*>(number(1)) : all, scratch_[3],
                  scratch_[0], scratch_[1], scratch_[2]});
    if (uniform) {
      define_scalar(call, builder_.CreateLoad(wide, scratch_[3]));
    } else {
      define_vector(call,
                    builder_.CreateAlignedLoad(vector_type(wide), scratch_[3], llvm::Align(64)));
    }
    return;
  }
  case LaneOperation::kInWindow: {
    const bool is_wide = !shape(&call).is_uniform();
    Value* address = is_wide ? vector(argument(1)) : scalar(argument(1));
    const auto like = [&](Value* value) { return is_wide ? splat(value) : value; };
    const auto inside = [&](Value* base, Value* size) {
      return builder_.CreateICmpULT(builder_.CreateSub(address, like(base)), like(size));
    };
    Value* shared =
        inside(field(offsetof(Warp, shared), wide, true), number(exec::kSharedWindow, 64));
    Value* stride = builder_.CreateZExt(field(offsetof(Warp, local_stride), word, true), wide);
    Value* local = inside(field(offsetof(Warp, local), wide, true),
                          builder_.CreateMul(stride, number(kLanes, 64)));
    Value* parameters =
        inside(field(offsetof(Warp, parameters), wide, true), number(exec::kParameterWindow, 64));
    Value* result = nullptr;
    switch (constant_of(call, 0)) {
    case kShared:
      result = shared;
      break;
    case kLocal:
      result = local;
      break;
    case kTrusted:
      result = parameters;
      break;
    default:
      // Parameters of the kernel are global memory, too.
      result = builder_.CreateNot(builder_.CreateOr(shared, local));
      break;
    }
    define(call, is_wide ? WarpValue{nullptr, nullptr, nullptr, result}
                         : WarpValue{result, nullptr, nullptr, nullptr});
    return;
  }
  case LaneOperation::kShuffleValid: {
    Value* valid = nullptr;
    (void)source_lanes(call, &valid);
    define_vector(call, valid);
    return;
  }
  case LaneOperation::kShuffle:
    emit_shuffle(call);
    return;
  case LaneOperation::kVoteBallot: {
    const Value* masks = argument(1);
    Value* mine = builder_.CreateZExt(vector(argument(0)), vector_type(wide));
    Value* present = nullptr;
    Value* all = exchange(mine, masks, Exchange::kVote, scalar(argument(2)), &present);
    Value* bits = mask_bits(builder_.CreateTrunc(all, vector_type(builder_.getInt1Ty())));
    Value* votes = builder_.CreateAnd(bits, present);
    if (shape(masks).is_uniform()) {
      define_scalar(call, builder_.CreateAnd(votes, scalar(masks)));
    } else {
      define_vector(call, builder_.CreateAnd(splat(votes), vector(masks)));
    }
    return;
  }
  case LaneOperation::kMatchAny:
  case LaneOperation::kMatchAll:
    emit_match(call);
    return;
  case LaneOperation::kRedux:
    emit_redux(call);
    return;
  case LaneOperation::kMatrix:
    emit_matrix(call);
    return;
  case LaneOperation::kActiveMask:
    define_scalar(call, mask_);
    return;
  case LaneOperation::kWarpBarrier:
    (void)exchange(llvm::Constant::getNullValue(vector_type(wide)), argument(0), Exchange::kBarrier,
                   scalar(argument(1)));
    compiler_fence();
    return;
  case LaneOperation::kBarrier:
    emit_barrier(call);
    return;
  case LaneOperation::kBarrierArrive: {
    const NamedBarrier named = barrier_of(call);
    call_service(offsetof(Services, barrier_arrive), builder_.getVoidTy(),
                 {warp_, mask_, named.id, named.threads, scalar(argument(2))});
    return;
  }
  case LaneOperation::kNanosleep:
    builder_.CreateAlignedStore(vector(argument(0)), scratch_[0], llvm::Align(64));
    call_service(offsetof(Services, nanosleep), builder_.getVoidTy(),
                 {warp_, mask_, scratch_[0], scalar(argument(1))});
    if (lanes_may_be_elsewhere()) {
      resume();
    }
    return;
  case LaneOperation::kExit:
    call_service(offsetof(Services, exit_lanes), builder_.getVoidTy(), {warp_, mask_});
    resume();
    return;
  case LaneOperation::kTrap:
    call_service(offsetof(Services, trap), builder_.getVoidTy(),
                 {warp_, mask_, scalar(argument(0)), scalar(argument(1))});
    return;
  case LaneOperation::kSystemCall:
    emit_words_call(call, offsetof(Services, call_system));
    return;
  case LaneOperation::kAsync:
    emit_words_call(call, offsetof(Services, start_async));
    return;
  case LaneOperation::kAsyncWait:
    emit_words_call(call, offsetof(Services, await_async));
    return;
  case LaneOperation::kClock:
    define_scalar(call, call_service(offsetof(Services, clock), wide, {warp_}));
    return;
  case LaneOperation::kGlobalTimer:
    define_scalar(call, call_service(offsetof(Services, global_timer), wide, {warp_}));
    return;
  case LaneOperation::kAlloca:
    emit_alloca(call);
    return;
  case LaneOperation::kStackSave:
    define_scalar(call, builder_.CreateZExt(field(offsetof(Warp, local_used), word, false), wide));
    return;
  case LaneOperation::kStackRestore:
    builder_.CreateStore(builder_.CreateTrunc(any_lane(argument(0)), word),
                         field(offsetof(Warp, local_used), nullptr, false));
    return;
  case LaneOperation::kDirectCall:
    emit_call(call, true);
    return;
  case LaneOperation::kIndirectCall:
    emit_call(call, false);
    return;
  }
}

// Lanes that name different ones end the launch: a barrier counts warps.
WarpFunction::NamedBarrier WarpFunction::barrier_of(const llvm::CallInst& call) {
  const Value* ids = call.getArgOperand(0);
  const Value* counts = call.getArgOperand(1);
  if (shape(ids).is_uniform() && shape(counts).is_uniform()) {
    return {scalar(ids), scalar(counts)};
  }
  Value* lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_, builder_.getTrue());
  const NamedBarrier first = {builder_.CreateExtractElement(vector(ids), lane),
                              builder_.CreateExtractElement(vector(counts), lane)};
  Value* alike = builder_.CreateAnd(builder_.CreateICmpEQ(vector(ids), splat(first.id)),
                                    builder_.CreateICmpEQ(vector(counts), splat(first.threads)));
  Value* others = builder_.CreateAnd(mask_, builder_.CreateNot(mask_bits(alike)));
  auto* differ = new_block("barriers.differ");
  auto* same = new_block("barrier");
  builder_.CreateCondBr(builder_.CreateIsNotNull(others), differ, same);
  builder_.SetInsertPoint(differ);
  call_service(offsetof(Services, trap), builder_.getVoidTy(),
               {warp_, mask_, number(static_cast<unsigned>(exec::Trap::kBarriersDiffer)),
                scalar(call.getArgOperand(call.arg_size() - 1))});
  builder_.CreateBr(leave_);
  builder_.SetInsertPoint(same);
  return first;
}

/// bar.sync and bar.red.
void WarpFunction::emit_barrier(const llvm::CallInst& call) {
  Value* how = scalar(call.getArgOperand(2));
  Value* predicates = builder_.CreateAnd(mask_bits(vector(call.getArgOperand(3))), mask_);
  Value* site = scalar(call.getArgOperand(4));
  const NamedBarrier named = barrier_of(call);
  Value* result = call_service(offsetof(Services, barrier), builder_.getInt32Ty(),
                               {warp_, mask_, named.id, named.threads, how, predicates, site});
  if (lanes_may_be_elsewhere()) {
    resume();
  }
  define_scalar(call, result);
}

void WarpFunction::emit_special(const llvm::CallInst& call) {
  using ptx::SpecialRegister;
  auto* word = builder_.getInt32Ty();
  const auto which = static_cast<SpecialRegister>(constant_of(call, 0));
  switch (which) {
  case SpecialRegister::kTidX:
  case SpecialRegister::kTidY:
  case SpecialRegister::kTidZ: {
    const unsigned axis =
        static_cast<unsigned>(which) - static_cast<unsigned>(SpecialRegister::kTidX);
    if (options_.geometry != exec::Geometry::kGeneral) {
      WarpValue made;
      const bool in_row = axis == 0 && rows() > 1;
      made.scalar = in_row ? static_cast<Value*>(number(0))
                           : field(offsetof(Warp, tid) + std::size_t{4} * axis, word, true);
      made.row_stride = axis == 1 && rows() > 1 ? number(1) : nullptr;
      define(call, made);
      return;
    }
    Value* lanes =
        field(offsetof(Warp, lane_tid) + std::size_t{8} * axis, builder_.getPtrTy(), true);
    define_vector(call, builder_.CreateAlignedLoad(vector_type(word), lanes, llvm::Align(4)));
    return;
  }
  case SpecialRegister::kLaneid:
    define(call, {number(0), nullptr, nullptr, nullptr, rows() > 1 ? number(width_) : nullptr});
    return;
  default:
    break;
  }
  if (exec::value_in_lane(which, 0)) {
    llvm::SmallVector<std::uint32_t> values;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      values.push_back(*exec::value_in_lane(which, lane));
    }
    define_vector(call, llvm::ConstantDataVector::get(context_, values));
    return;
  }
  const std::optional<exec::WarpMember> member = exec::member_of(which, constant_of(call, 1));
  define_scalar(call, member ? field(member->offset, call.getType(), true)
                             : llvm::Constant::getNullValue(call.getType()));
}

// The same offset in every lane's window: lanes that ask for less get as much as the one that asks
// for most.
void WarpFunction::emit_alloca(const llvm::CallInst& call) {
  auto* word = builder_.getInt32Ty();
  auto* wide = builder_.getInt64Ty();
  const auto most = [&](const Value* value) -> Value* {
    if (shape(value).is_uniform()) {
      return scalar(value);
    }
    return builder_.CreateIntMaxReduce(
        builder_.CreateSelect(lane_mask(), vector(value), splat(number(0, 64))), false);
  };
  Value* size = most(call.getArgOperand(0));
  Value* alignment = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax,
                                                    most(call.getArgOperand(1)), number(8, 64));
  Value* place = field(offsetof(Warp, local_used), nullptr, false);
  Value* used = builder_.CreateZExt(builder_.CreateLoad(word, place), wide);
  Value* low = builder_.CreateSub(alignment, number(1, 64));
  Value* start = builder_.CreateAnd(builder_.CreateAdd(used, low), builder_.CreateNot(low));
  Value* limit = builder_.CreateZExt(field(offsetof(Warp, local_size), word, true), wide);
  Value* fits = builder_.CreateAnd(builder_.CreateICmpULE(size, limit),
                                   builder_.CreateICmpULE(builder_.CreateAdd(start, size), limit));
  auto* full = new_block("full");
  auto* room = new_block("room");
  builder_.CreateCondBr(fits, room, full);
  builder_.SetInsertPoint(full);
  call_service(offsetof(Services, trap), builder_.getVoidTy(),
               {warp_, mask_, number(static_cast<unsigned>(exec::Trap::kLocalOverflow)),
                scalar(call.getArgOperand(2))});
  builder_.CreateBr(leave_);
  builder_.SetInsertPoint(room);
  builder_.CreateStore(builder_.CreateTrunc(builder_.CreateAdd(start, size), word), place);
  define_scalar(call, start);
}

} // namespace gantry::simt::lower
