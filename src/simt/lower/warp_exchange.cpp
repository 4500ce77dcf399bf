// Exchanges between the lanes of a warp: shuffles, votes, matches, reductions, and matrices.
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>

namespace gantry::simt::lower {

using exec::Exchange;
using exec::kLanes;
using exec::Services;
using exec::Warp;

// Calls the service only if the mask has lanes that are not active here, because only then there is
// something to wait for.
llvm::Value* WarpFunction::exchange(Value* values, const Value* masks, Exchange kind, Value* site,
                                    Value** present) {
  auto* word = builder_.getInt32Ty();
  Value* named = nullptr;
  if (shape(masks).is_uniform()) {
    named = scalar(masks);
  } else {
    Value* mine = builder_.CreateSelect(lane_mask(), vector(masks),
                                        llvm::Constant::getNullValue(vector_type(word)));
    named = builder_.CreateOrReduce(mine);
  }
  Value* alive = field(offsetof(Warp, alive), word, false);
  Value* missing = builder_.CreateAnd(builder_.CreateAnd(named, alive), builder_.CreateNot(mask_));
  Value* all_masks = vector(masks);
  auto* before = builder_.GetInsertBlock();
  auto* wait = new_block("wait");
  auto* complete = new_block("complete");
  Value* mask = mask_;
  Value* is_complete = options_.watch_exchanges ? static_cast<Value*>(builder_.getFalse())
                                                : builder_.CreateIsNull(missing);
  builder_.CreateCondBr(is_complete, complete, wait);
  builder_.SetInsertPoint(wait);
  builder_.CreateAlignedStore(all_masks, scratch_[0], llvm::Align(64));
  builder_.CreateAlignedStore(values, scratch_[1], llvm::Align(64));
  Value* took_part = call_service(
      offsetof(Services, warp_exchange), word,
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
  if (present != nullptr) {
    llvm::PHINode* lanes = builder_.CreatePHI(word, 2);
    lanes->addIncoming(alive, before);
    lanes->addIncoming(took_part, waited);
    *present = lanes;
  }
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
  const bool of_shuffle = *operation_of(call) == LaneOperation::kShuffle;
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
    // A uniform value is the same whichever lane it is read from, even from an inactive one.
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

// For each lane the lanes of its mask that have its value. Lanes that have exited are of no mask
// (PTX ISA 9.0, 9.7.13, match.sync).
void WarpFunction::emit_match(const llvm::CallInst& call) {
  const bool all_or_none = *operation_of(call) == LaneOperation::kMatchAll;
  auto* word = builder_.getInt32Ty();
  auto* wide = builder_.getInt64Ty();
  const Value* masks = call.getArgOperand(1);
  Value* present = nullptr;
  Value* values = exchange(vector(call.getArgOperand(0)), masks, Exchange::kMatch,
                           scalar(call.getArgOperand(2)), &present);
  builder_.CreateAlignedStore(vector(masks), scratch_[0], llvm::Align(64));
  builder_.CreateAlignedStore(values, scratch_[1], llvm::Align(64));
  for_each_lane(mask_, [&](Value* lane) {
    Value* value = builder_.CreateLoad(wide, builder_.CreateGEP(wide, scratch_[1], lane));
    Value* mask = builder_.CreateLoad(word, builder_.CreateGEP(word, scratch_[0], lane));
    Value* asked = builder_.CreateAnd(mask, present);
    Value* equal =
        builder_.CreateAnd(mask_bits(builder_.CreateICmpEQ(values, splat(value))), asked);
    if (all_or_none) {
      equal = builder_.CreateSelect(builder_.CreateICmpEQ(equal, asked), asked, number(0));
    }
    builder_.CreateStore(equal, builder_.CreateGEP(word, scratch_[2], lane));
  });
  define_vector(call, builder_.CreateAlignedLoad(vector_type(word), scratch_[2], llvm::Align(64)));
}

void WarpFunction::emit_redux(const llvm::CallInst& call) {
  auto* word = builder_.getInt32Ty();
  auto* wide = builder_.getInt64Ty();
  const Value* masks = call.getArgOperand(2);
  const auto kind = static_cast<ReduxKind>(constant_of(call, 0));
  Value* mine = builder_.CreateZExt(vector(call.getArgOperand(1)), vector_type(wide));
  Value* present = nullptr;
  Value* values = builder_.CreateTrunc(
      exchange(mine, masks, Exchange::kRedux, scalar(call.getArgOperand(3)), &present),
      vector_type(word));
  const auto reduce = [&](Value* mask) -> Value* {
    const std::uint32_t identity = kind == ReduxKind::kMinU || kind == ReduxKind::kAnd ? 0xFFFFFFFF
                                   : kind == ReduxKind::kMinS                          ? 0x7FFFFFFF
                                   : kind == ReduxKind::kMaxS                          ? 0x80000000
                                                                                       : 0;
    Value* taking_part = builder_.CreateSelect(lanes_of(builder_.CreateAnd(mask, present)), values,
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

void WarpFunction::emit_matrix(const llvm::CallInst& call) {
  const unsigned site = call.arg_size() - 1;
  store_words(call, 1, site);
  call_service(offsetof(Services, matrix), builder_.getVoidTy(),
               {warp_, mask_, number(constant_of(call, 0)), words_in_, words_out_,
                scalar(call.getArgOperand(site))});
  if (lanes_may_be_elsewhere()) {
    resume();
  }
  define_vector(call, load_words(call));
}

} // namespace gantry::simt::lower
