// What the placeholders of operations.h mean for a warp.
#include "simt/lower/warp_function.h"
#include "simt/ptx/module.h"

#include <llvm/IR/Constants.h>

namespace gantry::simt::lower {

using exec::Exchange;
using exec::kLanes;
using exec::Services;
using exec::Warp;

namespace {

unsigned constant_of(const llvm::CallInst& call, unsigned index) {
  return static_cast<unsigned>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(index))->getZExtValue());
}

} // namespace

void WarpFunction::emit_operation(const llvm::CallInst& call, Operation operation) {
  auto* word = builder_.getInt32Ty();
  auto* wide = builder_.getInt64Ty();
  const auto argument = [&](unsigned index) { return call.getArgOperand(index); };
  switch (operation) {
  case Operation::kSpecial:
    emit_special(call);
    return;
  case Operation::kVariable: {
    Value* table = field(offsetof(Warp, variables), builder_.getPtrTy(), true);
    auto* address =
        builder_.CreateLoad(wide, builder_.CreateConstGEP1_64(wide, table, constant_of(call, 0)));
    address->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    define_scalar(call, address);
    return;
  }
  case Operation::kParameters:
    define_scalar(call, field(offsetof(Warp, parameters), wide, true));
    return;
  case Operation::kFunction:
    define_scalar(call, builder_.CreateAdd(field(offsetof(Warp, function_base), wide, true),
                                           number(16 * std::uint64_t{constant_of(call, 0)}, 64)));
    return;
  case Operation::kSharedBase:
    define_scalar(call, field(offsetof(Warp, shared), wide, true));
    return;
  case Operation::kLocalBase: {
    Place place{};
    place.space = kLocal;
    define_vector(call, host_vector(place, splat(number(0, 64))));
    return;
  }
  case Operation::kArithmetic: {
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
  case Operation::kInWindow: {
    const bool is_wide = !shape(&call).is_uniform();
    Value* address = is_wide ? vector(argument(0)) : scalar(argument(0));
    const auto like = [&](Value* value) { return is_wide ? splat(value) : value; };
    const auto inside = [&](Value* base, Value* size) {
      return builder_.CreateICmpULT(builder_.CreateSub(address, like(base)), like(size));
    };
    Value* shared = inside(field(offsetof(Warp, shared), wide, true), number(228 << 10, 64));
    Value* stride = builder_.CreateZExt(field(offsetof(Warp, local_stride), word, true), wide);
    Value* local = inside(field(offsetof(Warp, local), wide, true),
                          builder_.CreateMul(stride, number(kLanes, 64)));
    // Of whatever size: nothing else that device code may name lies there.
    Value* parameters = inside(field(offsetof(Warp, parameters), wide, true), number(32764, 64));
    Value* result = nullptr;
    switch (constant_of(call, 1)) {
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
      result = builder_.CreateNot(builder_.CreateOr(builder_.CreateOr(shared, local), parameters));
      break;
    }
    define(call, is_wide ? Form{nullptr, nullptr, nullptr, result}
                         : Form{result, nullptr, nullptr, nullptr});
    return;
  }
  case Operation::kShuffleValid: {
    Value* valid = nullptr;
    (void)source_lanes(call, &valid);
    define_vector(call, valid);
    return;
  }
  case Operation::kShuffle:
    emit_shuffle(call);
    return;
  case Operation::kVoteBallot: {
    const Value* masks = argument(1);
    Value* mine = builder_.CreateZExt(vector(argument(0)), vector_type(wide));
    Value* all = exchange(mine, masks, Exchange::kVote, scalar(argument(2)));
    Value* bits = mask_bits(builder_.CreateTrunc(all, vector_type(builder_.getInt1Ty())));
    Value* alive = builder_.CreateAnd(bits, field(offsetof(Warp, alive), word, false));
    if (shape(masks).is_uniform()) {
      define_scalar(call, builder_.CreateAnd(alive, scalar(masks)));
    } else {
      define_vector(call, builder_.CreateAnd(splat(alive), vector(masks)));
    }
    return;
  }
  case Operation::kMatchAny:
    emit_match(call);
    return;
  case Operation::kRedux:
    emit_redux(call);
    return;
  case Operation::kActiveMask:
    define_scalar(call, mask_);
    return;
  case Operation::kWarpBarrier:
    (void)exchange(llvm::Constant::getNullValue(vector_type(wide)), argument(0), Exchange::kBarrier,
                   scalar(argument(1)));
    compiler_fence();
    return;
  case Operation::kBarrier: {
    Value* predicates = builder_.CreateAnd(mask_bits(vector(argument(3))), mask_);
    Value* result = call_service(offsetof(Services, barrier), word,
                                 {warp_, mask_, any_lane(argument(0)), any_lane(argument(1)),
                                  scalar(argument(2)), predicates, scalar(argument(4))});
    if (lanes_may_be_elsewhere()) {
      resume();
    }
    define_scalar(call, result);
    return;
  }
  case Operation::kBarrierArrive:
    call_service(offsetof(Services, barrier_arrive), builder_.getVoidTy(),
                 {warp_, mask_, any_lane(argument(0)), any_lane(argument(1)), scalar(argument(2))});
    return;
  case Operation::kNanosleep:
    builder_.CreateAlignedStore(vector(argument(0)), scratch_[0], llvm::Align(64));
    call_service(offsetof(Services, nanosleep), builder_.getVoidTy(),
                 {warp_, mask_, scratch_[0], scalar(argument(1))});
    if (lanes_may_be_elsewhere()) {
      resume();
    }
    return;
  case Operation::kExit:
    call_service(offsetof(Services, exit_lanes), builder_.getVoidTy(), {warp_, mask_});
    resume();
    return;
  case Operation::kTrap:
    call_service(offsetof(Services, trap), builder_.getVoidTy(),
                 {warp_, mask_, scalar(argument(0)), scalar(argument(1))});
    return;
  case Operation::kSystemCall:
    emit_system_call(call);
    return;
  case Operation::kClock:
    define_scalar(call, call_service(offsetof(Services, clock), wide, {warp_}));
    return;
  case Operation::kGlobalTimer:
    define_scalar(call, call_service(offsetof(Services, global_timer), wide, {warp_}));
    return;
  case Operation::kAlloca:
    emit_alloca(call);
    return;
  case Operation::kStackSave:
    define_scalar(call, builder_.CreateZExt(field(offsetof(Warp, local_used), word, false), wide));
    return;
  case Operation::kStackRestore:
    builder_.CreateStore(builder_.CreateTrunc(any_lane(argument(0)), word),
                         field(offsetof(Warp, local_used), nullptr, false));
    return;
  case Operation::kDirectCall:
    emit_call(call, true);
    return;
  case Operation::kIndirectCall:
    emit_call(call, false);
    return;
  }
}

void WarpFunction::emit_special(const llvm::CallInst& call) {
  using ptx::SpecialRegister;
  auto* word = builder_.getInt32Ty();
  const auto which = static_cast<SpecialRegister>(constant_of(call, 0));
  const auto element = [&](std::size_t offset, SpecialRegister first) {
    return field(offset +
                     std::size_t{4} * (static_cast<unsigned>(which) - static_cast<unsigned>(first)),
                 word, true);
  };
  const auto by_lane = [&](auto value_of) {
    llvm::SmallVector<std::uint32_t> values;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      values.push_back(value_of(lane));
    }
    define_vector(call, llvm::ConstantDataVector::get(context_, values));
  };
  switch (which) {
  case SpecialRegister::kTidX:
  case SpecialRegister::kTidY:
  case SpecialRegister::kTidZ: {
    const unsigned axis =
        static_cast<unsigned>(which) - static_cast<unsigned>(SpecialRegister::kTidX);
    if (options_.geometry != exec::Geometry::kGeneral) {
      Form made;
      const bool in_row = axis == 0 && rows() > 1;
      made.scalar = in_row ? static_cast<Value*>(number(0))
                           : field(offsetof(Warp, tid) + std::size_t{4} * axis, word, true);
      made.step = axis == 1 && rows() > 1 ? number(1) : nullptr;
      define(call, made);
      return;
    }
    Value* lanes =
        field(offsetof(Warp, lane_tid) + std::size_t{8} * axis, builder_.getPtrTy(), true);
    define_vector(call, builder_.CreateAlignedLoad(vector_type(word), lanes, llvm::Align(4)));
    return;
  }
  case SpecialRegister::kNtidX:
  case SpecialRegister::kNtidY:
  case SpecialRegister::kNtidZ:
    define_scalar(call, element(offsetof(Warp, ntid), SpecialRegister::kNtidX));
    return;
  case SpecialRegister::kCtaidX:
  case SpecialRegister::kCtaidY:
  case SpecialRegister::kCtaidZ:
    define_scalar(call, element(offsetof(Warp, ctaid), SpecialRegister::kCtaidX));
    return;
  case SpecialRegister::kNctaidX:
  case SpecialRegister::kNctaidY:
  case SpecialRegister::kNctaidZ:
    define_scalar(call, element(offsetof(Warp, nctaid), SpecialRegister::kNctaidX));
    return;
  case SpecialRegister::kLaneid:
    define(call, {number(0), nullptr, nullptr, nullptr, rows() > 1 ? number(width_) : nullptr});
    return;
  case SpecialRegister::kLanemaskEq:
    by_lane([](unsigned lane) { return 1U << lane; });
    return;
  case SpecialRegister::kLanemaskLe:
    by_lane([](unsigned lane) { return (2U << lane) - 1; });
    return;
  case SpecialRegister::kLanemaskLt:
    by_lane([](unsigned lane) { return (1U << lane) - 1; });
    return;
  case SpecialRegister::kLanemaskGe:
    by_lane([](unsigned lane) { return ~((1U << lane) - 1); });
    return;
  case SpecialRegister::kLanemaskGt:
    by_lane([](unsigned lane) { return ~((2U << lane) - 1); });
    return;
  case SpecialRegister::kWarpid:
    define_scalar(call, field(offsetof(Warp, warp_index), word, true));
    return;
  case SpecialRegister::kNwarpid:
    define_scalar(call, number(32));
    return;
  case SpecialRegister::kSmid:
    define_scalar(call, field(offsetof(Warp, smid), word, true));
    return;
  case SpecialRegister::kNsmid:
    define_scalar(call, field(offsetof(Warp, nsmid), word, true));
    return;
  case SpecialRegister::kGridid:
    define_scalar(call, field(offsetof(Warp, grid_id), builder_.getInt64Ty(), true));
    return;
  case SpecialRegister::kDynamicSmemSize:
    define_scalar(call, field(offsetof(Warp, dynamic_shared), word, true));
    return;
  case SpecialRegister::kTotalSmemSize:
  case SpecialRegister::kAggrSmemSize:
    define_scalar(call, field(offsetof(Warp, shared_size), word, true));
    return;
  case SpecialRegister::kEnvreg:
    define_scalar(call, field(offsetof(Warp, envreg) + std::size_t{4} * (constant_of(call, 1) & 31),
                              word, true));
    return;
  default:
    define_scalar(call, llvm::Constant::getNullValue(call.getType()));
    return;
  }
}

void WarpFunction::call_code(Value* code, Value* mask) {
  auto* type = llvm::FunctionType::get(
      builder_.getVoidTy(),
      {builder_.getPtrTy(), builder_.getInt32Ty(), builder_.getPtrTy(), builder_.getPtrTy()},
      false);
  auto* call = builder_.CreateCall(type, code, {warp_, mask, words_in_, words_out_});
  call->addFnAttr(llvm::Attribute::NoUnwind);
}

// A call by the active lanes, or for an indirect one by those with the same target, target after
// target.
void WarpFunction::emit_call(const llvm::CallInst& call, bool direct) {
  auto* wide = builder_.getInt64Ty();
  auto* pointer = builder_.getPtrTy();
  Value* site = scalar(call.getArgOperand(1));
  const auto store_arguments = [&] {
    for (unsigned i = 2; i < call.arg_size(); ++i) {
      builder_.CreateAlignedStore(
          vector(call.getArgOperand(i)),
          builder_.CreateConstGEP1_64(wide, words_in_, std::uint64_t{i - 2} * kLanes),
          llvm::Align(64));
    }
  };
  const auto load_results = [&]() -> Value* {
    Value* results = llvm::PoisonValue::get(vector_type(call.getType()));
    const auto* type = llvm::cast<llvm::StructType>(call.getType());
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      Value* address = builder_.CreateConstGEP1_64(wide, words_out_, std::uint64_t{i} * kLanes);
      results = builder_.CreateInsertValue(
          results,
          builder_.CreateAlignedLoad(vector_type(type->getElementType(i)), address,
                                     llvm::Align(64)),
          i);
    }
    return results;
  };
  const bool returns = !call.getType()->isVoidTy();
  const auto resolve = [&](Value* handle, Value* mask) {
    return call_service(offsetof(Services, resolve_call), pointer, {warp_, mask, handle, site});
  };
  if (direct || shape(call.getArgOperand(0)).is_uniform()) {
    store_arguments();
    Value* code = nullptr;
    if (direct) {
      const std::uint64_t index = constant_of(call, 0);
      Value* table = field(offsetof(Warp, functions), pointer, true);
      Value* known =
          builder_.CreateLoad(pointer, builder_.CreateConstGEP1_64(pointer, table, index));
      auto* before = builder_.GetInsertBlock();
      auto* unknown = new_block("unknown");
      auto* found = new_block("found");
      builder_.CreateCondBr(builder_.CreateIsNull(known), unknown, found);
      builder_.SetInsertPoint(unknown);
      Value* handle = builder_.CreateAdd(field(offsetof(Warp, function_base), wide, true),
                                         number(16 * index, 64));
      Value* resolved = resolve(handle, mask_);
      builder_.CreateBr(found);
      builder_.SetInsertPoint(found);
      llvm::PHINode* merged = builder_.CreatePHI(pointer, 2);
      merged->addIncoming(known, before);
      merged->addIncoming(resolved, unknown);
      code = merged;
    } else {
      code = resolve(scalar(call.getArgOperand(0)), mask_);
    }
    call_code(code, mask_);
    resume();
    if (returns) {
      define_vector(call, load_results());
    }
    return;
  }
  // Lanes with different targets: the arguments are stored anew for each, the results collected.
  llvm::AllocaInst* left = variable(builder_.getInt32Ty(), "to.call");
  llvm::AllocaInst* collected =
      returns ? variable(vector_type(call.getType()), "collected") : nullptr;
  Value* handles = vector(call.getArgOperand(0));
  for (unsigned i = 2; i < call.arg_size(); ++i) {
    (void)vector(call.getArgOperand(i));
  }
  builder_.CreateStore(mask_, left);
  if (returns) {
    builder_.CreateStore(llvm::PoisonValue::get(vector_type(call.getType())), collected);
  }
  Value* whole = mask_;
  auto* next = new_block("target");
  auto* done = new_block("called");
  builder_.CreateBr(next);
  builder_.SetInsertPoint(next);
  Value* rest = builder_.CreateLoad(builder_.getInt32Ty(), left);
  Value* lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, builder_.getTrue());
  Value* handle = builder_.CreateExtractElement(handles, lane);
  Value* same = builder_.CreateAnd(mask_bits(builder_.CreateICmpEQ(handles, splat(handle))), rest);
  store_arguments();
  call_code(resolve(handle, same), same);
  if (returns) {
    Value* results = load_results();
    Value* before = builder_.CreateLoad(results->getType(), collected);
    Value* merged = llvm::PoisonValue::get(results->getType());
    const unsigned count = llvm::cast<llvm::StructType>(call.getType())->getNumElements();
    for (unsigned i = 0; i < count; ++i) {
      merged = builder_.CreateInsertValue(
          merged,
          builder_.CreateSelect(lanes_of(same), builder_.CreateExtractValue(results, i),
                                builder_.CreateExtractValue(before, i)),
          i);
    }
    builder_.CreateStore(merged, collected);
  }
  Value* live = field(offsetof(Warp, live), builder_.getInt32Ty(), false);
  Value* after = builder_.CreateAnd(builder_.CreateAnd(rest, builder_.CreateNot(same)), live);
  builder_.CreateStore(after, left);
  builder_.CreateCondBr(builder_.CreateIsNotNull(after), next, done);
  builder_.SetInsertPoint(done);
  mask_ = whole;
  resume();
  if (returns) {
    define_vector(call, builder_.CreateLoad(vector_type(call.getType()), collected));
  }
}

void WarpFunction::emit_system_call(const llvm::CallInst& call) {
  auto* wide = builder_.getInt64Ty();
  const unsigned last = call.arg_size() - 1;
  for (unsigned i = 1; i < last; ++i) {
    builder_.CreateAlignedStore(
        vector(call.getArgOperand(i)),
        builder_.CreateConstGEP1_64(wide, words_in_, std::uint64_t{i - 1} * kLanes),
        llvm::Align(64));
  }
  call_service(offsetof(Services, call_system), builder_.getVoidTy(),
               {warp_, mask_, scalar(call.getArgOperand(0)), words_in_, words_out_,
                scalar(call.getArgOperand(last))});
  define_vector(call, builder_.CreateAlignedLoad(vector_type(wide), words_out_, llvm::Align(64)));
}

// With the lanes of the mask that are here there is nothing to wait for; the service waits for
// others.
llvm::Value* WarpFunction::exchange(Value* values, const Value* masks, Exchange kind, Value* site) {
  auto* word = builder_.getInt32Ty();
  Value* named = nullptr;
  if (shape(masks).is_uniform()) {
    named = scalar(masks);
  } else {
    Value* mine = builder_.CreateSelect(lane_mask(), vector(masks),
                                        llvm::Constant::getNullValue(vector_type(word)));
    named = builder_.CreateOrReduce(mine);
  }
  Value* missing =
      builder_.CreateAnd(builder_.CreateAnd(named, field(offsetof(Warp, alive), word, false)),
                         builder_.CreateNot(mask_));
  Value* all_masks = vector(masks);
  auto* before = builder_.GetInsertBlock();
  auto* wait = new_block("wait");
  auto* complete = new_block("complete");
  Value* mask = mask_;
  builder_.CreateCondBr(builder_.CreateIsNull(missing), complete, wait);
  builder_.SetInsertPoint(wait);
  builder_.CreateAlignedStore(all_masks, scratch_[0], llvm::Align(64));
  builder_.CreateAlignedStore(values, scratch_[1], llvm::Align(64));
  call_service(offsetof(Services, warp_exchange), builder_.getVoidTy(),
               {warp_, mask, scratch_[0], scratch_[1], number(static_cast<unsigned>(kind)), site});
  Value* received = builder_.CreateAlignedLoad(values->getType(), scratch_[1], llvm::Align(64));
  Value* left = mask;
  auto* waited = wait;
  if (lanes_may_be_elsewhere()) {
    left = builder_.CreateAnd(mask, field(offsetof(Warp, live), word, false));
    waited = new_block("waited");
    builder_.CreateCondBr(builder_.CreateIsNotNull(left), waited, leave_);
    builder_.SetInsertPoint(waited);
  }
  builder_.CreateBr(complete);
  builder_.SetInsertPoint(complete);
  llvm::PHINode* result = builder_.CreatePHI(values->getType(), 2);
  result->addIncoming(values, before);
  result->addIncoming(received, waited);
  if (left == mask) {
    return result;
  }
  llvm::PHINode* still = builder_.CreatePHI(word, 2);
  still->addIncoming(mask, before);
  still->addIncoming(left, waited);
  set_mask(still);
  return result;
}

// The lane that each lane of shfl reads from, and whether that is in its segment (PTX
// ISA 9.0, 9.7.9.6).
llvm::Value* WarpFunction::source_lanes(const llvm::CallInst& call, Value** valid) {
  auto* word = builder_.getInt32Ty();
  const auto mode = static_cast<ShuffleMode>(constant_of(call, 0));
  const bool of_shuffle = *operation_of(call) == Operation::kShuffle;
  const auto all = [&](std::uint32_t value) { return splat(number(value)); };
  Value* b = builder_.CreateAnd(vector(call.getArgOperand(of_shuffle ? 2 : 1)), all(31));
  Value* c = vector(call.getArgOperand(of_shuffle ? 3 : 2));
  Value* clamp = builder_.CreateAnd(c, all(31));
  Value* segment = builder_.CreateAnd(builder_.CreateLShr(c, all(8)), all(31));
  Value* lane = lane_numbers(word);
  Value* outside = builder_.CreateNot(segment);
  Value* first = builder_.CreateAnd(lane, segment);
  Value* last = builder_.CreateOr(first, builder_.CreateAnd(clamp, outside));
  Value* from = nullptr;
  switch (mode) {
  case ShuffleMode::kUp:
    from = builder_.CreateSub(lane, b);
    break;
  case ShuffleMode::kDown:
    from = builder_.CreateAdd(lane, b);
    break;
  case ShuffleMode::kButterfly:
    from = builder_.CreateXor(lane, b);
    break;
  case ShuffleMode::kIndex:
    from = builder_.CreateOr(first, builder_.CreateAnd(b, outside));
    break;
  }
  *valid = mode == ShuffleMode::kUp ? builder_.CreateICmpSGE(from, last)
                                    : builder_.CreateICmpSLE(from, last);
  return builder_.CreateAnd(builder_.CreateSelect(*valid, from, lane), all(31));
}

void WarpFunction::emit_shuffle(const llvm::CallInst& call) {
  auto* word = builder_.getInt32Ty();
  auto* wide = builder_.getInt64Ty();
  Value* mine = builder_.CreateZExt(vector(call.getArgOperand(1)), vector_type(wide));
  Value* exchanged =
      exchange(mine, call.getArgOperand(4), Exchange::kShuffle, scalar(call.getArgOperand(5)));
  Value* values = builder_.CreateTrunc(exchanged, vector_type(word));
  if (shape(&call).is_uniform()) {
    Value* lane = builder_.CreateAnd(scalar(call.getArgOperand(2)), number(31));
    // What all lanes have is what any of them gives; the lane asked for need not be here.
    Value* result = shape(call.getArgOperand(1)).is_uniform()
                        ? scalar(call.getArgOperand(1))
                        : builder_.CreateExtractElement(values, lane);
    define_scalar(call, result);
    return;
  }
  Value* valid = nullptr;
  Value* lanes = source_lanes(call, &valid);
  if (auto* known = llvm::dyn_cast<llvm::Constant>(lanes)) {
    llvm::SmallVector<int> order;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      auto* index = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(lane));
      order.push_back(index == nullptr ? static_cast<int>(lane)
                                       : static_cast<int>(index->getZExtValue()));
    }
    define_vector(call, builder_.CreateShuffleVector(values, order));
    return;
  }
  builder_.CreateAlignedStore(values, scratch_[0], llvm::Align(64));
  Value* base = builder_.CreatePtrToInt(scratch_[0], wide);
  Value* places = builder_.CreateAdd(
      splat(base),
      builder_.CreateShl(builder_.CreateZExt(lanes, vector_type(wide)), splat(number(2, 64))));
  define_vector(call, builder_.CreateMaskedGather(
                          vector_type(word),
                          builder_.CreateIntToPtr(
                              places, llvm::FixedVectorType::get(builder_.getPtrTy(), kLanes)),
                          llvm::Align(4)));
}

// For each lane the lanes of its mask that have its value.
void WarpFunction::emit_match(const llvm::CallInst& call) {
  auto* word = builder_.getInt32Ty();
  auto* wide = builder_.getInt64Ty();
  const Value* masks = call.getArgOperand(1);
  Value* values = exchange(vector(call.getArgOperand(0)), masks, Exchange::kMatch,
                           scalar(call.getArgOperand(2)));
  Value* alive = field(offsetof(Warp, alive), word, false);
  builder_.CreateAlignedStore(vector(masks), scratch_[0], llvm::Align(64));
  builder_.CreateAlignedStore(values, scratch_[1], llvm::Align(64));
  for_each_lane(mask_, [&](Value* lane) {
    Value* value = builder_.CreateLoad(wide, builder_.CreateGEP(wide, scratch_[1], lane));
    Value* mask = builder_.CreateLoad(word, builder_.CreateGEP(word, scratch_[0], lane));
    Value* equal = mask_bits(builder_.CreateICmpEQ(values, splat(value)));
    builder_.CreateStore(builder_.CreateAnd(builder_.CreateAnd(equal, mask), alive),
                         builder_.CreateGEP(word, scratch_[2], lane));
  });
  define_vector(call, builder_.CreateAlignedLoad(vector_type(word), scratch_[2], llvm::Align(64)));
}

void WarpFunction::emit_redux(const llvm::CallInst& call) {
  auto* word = builder_.getInt32Ty();
  auto* wide = builder_.getInt64Ty();
  const Value* masks = call.getArgOperand(2);
  const auto kind = static_cast<ReduxKind>(constant_of(call, 0));
  Value* mine = builder_.CreateZExt(vector(call.getArgOperand(1)), vector_type(wide));
  Value* values = builder_.CreateTrunc(
      exchange(mine, masks, Exchange::kRedux, scalar(call.getArgOperand(3))), vector_type(word));
  Value* alive = field(offsetof(Warp, alive), word, false);
  const auto reduce = [&](Value* mask) -> Value* {
    const std::uint32_t identity = kind == ReduxKind::kMinU || kind == ReduxKind::kAnd ? 0xFFFFFFFF
                                   : kind == ReduxKind::kMinS                          ? 0x7FFFFFFF
                                   : kind == ReduxKind::kMaxS                          ? 0x80000000
                                                                                       : 0;
    Value* taking_part = builder_.CreateSelect(lanes_of(builder_.CreateAnd(mask, alive)), values,
                                               splat(number(identity)));
    switch (kind) {
    case ReduxKind::kAdd:
      return builder_.CreateAddReduce(taking_part);
    case ReduxKind::kMinU:
      return builder_.CreateIntMinReduce(taking_part, false);
    case ReduxKind::kMaxU:
      return builder_.CreateIntMaxReduce(taking_part, false);
    case ReduxKind::kMinS:
      return builder_.CreateIntMinReduce(taking_part, true);
    case ReduxKind::kMaxS:
      return builder_.CreateIntMaxReduce(taking_part, true);
    case ReduxKind::kAnd:
      return builder_.CreateAndReduce(taking_part);
    case ReduxKind::kOr:
      return builder_.CreateOrReduce(taking_part);
    case ReduxKind::kXor:
      break;
    }
    return builder_.CreateXorReduce(taking_part);
  };
  if (shape(masks).is_uniform()) {
    define_scalar(call, reduce(scalar(masks)));
    return;
  }
  builder_.CreateAlignedStore(vector(masks), scratch_[0], llvm::Align(64));
  for_each_lane(mask_, [&](Value* lane) {
    Value* mask = builder_.CreateLoad(word, builder_.CreateGEP(word, scratch_[0], lane));
    builder_.CreateStore(reduce(mask), builder_.CreateGEP(word, scratch_[1], lane));
  });
  define_vector(call, builder_.CreateAlignedLoad(vector_type(word), scratch_[1], llvm::Align(64)));
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
