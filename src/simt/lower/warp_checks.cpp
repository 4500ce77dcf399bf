// Checks of a warp's accesses, in a few instructions: aligned, and to memory that is allocated by
// the shadow (memory/device_memory.h), in a loop to the range that the access has come to
// before (exec/blocks/known_ranges.h), or to a window of the warp's own. If they fail, the service
// check_access decides.
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>

namespace gantry::simt::lower {

using exec::kLanes;
using exec::Services;
using exec::Warp;

// Scalar or for all lanes: whether the whole access lies on a multiple of its size.
llvm::Value* WarpFunction::is_aligned(const MemoryAccess& access, Value* address) {
  const auto like = [&](std::uint64_t value) {
    return llvm::ConstantInt::get(address->getType(), value);
  };
  Value* start = access.offset == 0 ? address : builder_.CreateSub(address, like(access.offset));
  return builder_.CreateIsNull(builder_.CreateAnd(start, like(access.alignment - 1)));
}

// For all lanes: whether a generic address is in the block's shared window, the lane's local one or
// the kernel's parameters. The shadow leaves them out, as other blocks and warps have no access.
llvm::Value* WarpFunction::in_own_windows(const MemoryAccess& access, Value* addresses) {
  auto* wide = builder_.getInt64Ty();
  const auto bytes = [&](std::size_t size) {
    return builder_.CreateZExt(field(size, builder_.getInt32Ty(), true), wide);
  };
  const auto inside = [&](Value* base, Value* limit) {
    return ends_inside(builder_.CreateSub(addresses, base), limit,
                       exec::needed_bytes(access.kind, access.size));
  };
  Value* found =
      inside(splat(field(offsetof(Warp, shared), wide, true)), bytes(offsetof(Warp, shared_size)));
  if (access.kind == exec::AccessKind::kLoad) {
    Value* parameters = splat(field(offsetof(Warp, parameters), wide, true));
    found = builder_.CreateOr(found, inside(parameters, number(exec::kParameterWindow, 64)));
  }
  if (!options_.local_addresses) {
    return found;
  }
  Value* own = builder_.CreateAdd(
      splat(field(offsetof(Warp, local), wide, true)),
      builder_.CreateMul(splat(bytes(offsetof(Warp, local_stride))), lane_numbers(wide)));
  return builder_.CreateOr(found, inside(own, bytes(offsetof(Warp, local_size))));
}

// Whether `bytes` from an offset on end at `size` at the latest; scalar or for all lanes.
llvm::Value* WarpFunction::ends_inside(Value* offset, Value* size, std::uint64_t bytes) {
  // None that begins so late that it would pass the end does.
  Value* starts =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, size, number(bytes - 1, 64));
  return builder_.CreateICmpULT(offset, offset->getType()->isVectorTy() ? splat(starts) : starts);
}

llvm::Value* WarpFunction::in_window_of(const MemoryAccess& access, Value* offset,
                                        std::uint64_t bytes) {
  const std::size_t size =
      access.space == kShared ? offsetof(Warp, shared_size) : offsetof(Warp, local_size);
  return ends_inside(
      offset, builder_.CreateZExt(field(size, builder_.getInt32Ty(), true), builder_.getInt64Ty()),
      bytes);
}

llvm::Value* WarpFunction::in_known_range(const MemoryAccess& access, Value* address,
                                          std::uint64_t bytes) {
  Value* ranges = field(offsetof(Warp, known), builder_.getPtrTy(), true);
  const auto member = [&](std::size_t offset) -> Value* {
    const std::size_t place = access.range * sizeof(exec::KnownRange) + offset;
    return builder_.CreateLoad(builder_.getInt64Ty(),
                               builder_.CreateConstGEP1_64(builder_.getInt8Ty(), ranges, place));
  };
  Value* first = member(offsetof(exec::KnownRange, first));
  Value* offset =
      builder_.CreateSub(address, address->getType()->isVectorTy() ? splat(first) : first);
  return ends_inside(offset, member(offsetof(exec::KnownRange, size)), bytes);
}

// Unless `good` (i1), calls check_access, which ends the launch if a lane's address is wrong. Then
// tells the watch if the code is watched: where the addresses are a row's, of that.
void WarpFunction::check(const MemoryAccess& access, Value* good,
                         llvm::function_ref<Value*()> addresses, const AddressRow& row) {
  auto* doubtful = new_block("doubtful");
  auto* checked = new_block("checked");
  builder_.CreateCondBr(
      good, checked, doubtful,
      llvm::MDNode::get(context_, {llvm::MDString::get(context_, "branch_weights"),
                                   llvm::ConstantAsMetadata::get(number(2000)),
                                   llvm::ConstantAsMetadata::get(number(1))}));
  builder_.SetInsertPoint(doubtful);
  Value* all = addresses();
  if (access.space == kGeneric) {
    Value* fine = builder_.CreateAnd(is_aligned(access, all), in_own_windows(access, all));
    Value* wrong = builder_.CreateAnd(mask_bits(builder_.CreateNot(fine)), mask_);
    auto* elsewhere = new_block("elsewhere");
    builder_.CreateCondBr(builder_.CreateIsNull(wrong), checked, elsewhere);
    builder_.SetInsertPoint(elsewhere);
  }
  builder_.CreateAlignedStore(all, scratch_[0], llvm::Align(64));
  Value* size = number(access.size);
  Value* whole = number(access.alignment);
  Value* offset = number(access.offset);
  Value* kind = number(static_cast<unsigned>(access.kind));
  Value* space = number(access.space);
  call_service(offsetof(Services, check_access), builder_.getVoidTy(),
               {warp_, mask_, scratch_[0], size, whole, offset, kind, access.site, space,
                number(access.range)});
  builder_.CreateBr(checked);
  builder_.SetInsertPoint(checked);
  if (!options_.watch_accesses || access.space == kLocal || access.space == kConst) {
    return;
  }
  if (row.first != nullptr) {
    call_service(offsetof(Services, watch_row), builder_.getVoidTy(),
                 {warp_, mask_, row.first, number(row.stride), size, kind, access.site, space});
  } else {
    builder_.CreateAlignedStore(addresses(), scratch_[0], llvm::Align(64));
    call_service(offsetof(Services, watch_access), builder_.getVoidTy(),
                 {warp_, mask_, scratch_[0], size, kind, access.site, space});
  }
}

// The check of one address, scalar or for all lanes at once: aligned, and its last byte inside.
void WarpFunction::check_uniform(const MemoryAccess& access, Value* address,
                                 llvm::function_ref<Value*()> addresses) {
  if (!options_.check_memory || access.space == kTrusted) {
    return;
  }
  const unsigned size = access.size;
  Value* aligned = is_aligned(access, address);
  Value* inside = nullptr;
  if (access.space == kShared || access.space == kLocal) {
    inside = in_window_of(access, address, size);
  } else if (access.range != exec::kKnownRanges) {
    inside = in_known_range(access, address, exec::needed_bytes(access.kind, size));
  } else {
    Value* offset =
        builder_.CreateSub(address, field(offsetof(Warp, arena), builder_.getInt64Ty(), true));
    Value* in_arena = builder_.CreateICmpULT(
        offset, field(offsetof(Warp, arena_size), builder_.getInt64Ty(), true));
    // The shadow may be read for any address of the arena; for others its first byte is.
    Value* granule = builder_.CreateLShr(builder_.CreateSelect(in_arena, offset, number(0, 64)), 4);
    Value* shadow = field(offsetof(Warp, shadow), builder_.getPtrTy(), true);
    Value* valid = builder_.CreateZExt(
        builder_.CreateLoad(builder_.getInt8Ty(),
                            builder_.CreateGEP(builder_.getInt8Ty(), shadow, granule)),
        builder_.getInt64Ty());
    Value* end = builder_.CreateAdd(builder_.CreateAnd(offset, number(15, 64)),
                                    number(exec::needed_bytes(access.kind, size), 64));
    inside = builder_.CreateAnd(in_arena, builder_.CreateICmpULE(end, valid));
  }
  check(access, builder_.CreateAnd(aligned, inside), addresses, {address, 0});
}

// A row of consecutive elements from `base`: good if all their granules are valid to the last byte.
void WarpFunction::check_consecutive(const MemoryAccess& access, Value* base,
                                     llvm::function_ref<Value*()> addresses) {
  if (!options_.check_memory || access.space == kTrusted) {
    return;
  }
  const std::uint64_t span = std::uint64_t{access.size} * width_;
  Value* good = is_aligned(access, base);
  if (access.space == kShared) {
    check(access, builder_.CreateAnd(good, in_window_of(access, base, span)), addresses,
          {base, access.size});
    return;
  }
  if (access.range != exec::kKnownRanges) {
    check(access, builder_.CreateAnd(good, in_known_range(access, base, span)), addresses,
          {base, access.size});
    return;
  }
  Value* offset =
      builder_.CreateSub(base, field(offsetof(Warp, arena), builder_.getInt64Ty(), true));
  Value* limit = builder_.CreateSub(field(offsetof(Warp, arena_size), builder_.getInt64Ty(), true),
                                    number(span, 64));
  Value* in_arena = builder_.CreateICmpULE(offset, limit);
  Value* safe = builder_.CreateSelect(in_arena, offset, number(0, 64));
  Value* shadow = field(offsetof(Warp, shadow), builder_.getPtrTy(), true);
  Value* first = builder_.CreateGEP(builder_.getInt8Ty(), shadow, builder_.CreateLShr(safe, 4));
  const unsigned granules = std::max(1U, static_cast<unsigned>(span / 16));
  auto* type = builder_.getIntNTy(granules * 8);
  Value* valid = builder_.CreateAlignedLoad(type, first, llvm::Align(1));
  llvm::APInt full = llvm::APInt::getSplat(granules * 8, llvm::APInt(8, 16));
  good = builder_.CreateAnd(good,
                            builder_.CreateICmpEQ(valid, llvm::ConstantInt::get(context_, full)));
  // Where the base is not on a granule, the last element lies in one more.
  Value* last = builder_.CreateLShr(builder_.CreateAdd(safe, number(span - 1, 64)), 4);
  Value* last_valid = builder_.CreateLoad(builder_.getInt8Ty(),
                                          builder_.CreateGEP(builder_.getInt8Ty(), shadow, last));
  good = builder_.CreateAnd(good, builder_.CreateICmpEQ(last_valid, number(16, 8)));
  check(access, builder_.CreateAnd(good, in_arena), addresses, {base, access.size});
}

void WarpFunction::check_lanes(const MemoryAccess& access, Value* addresses) {
  if (!options_.check_memory || access.space == kTrusted) {
    return;
  }
  auto* wide = builder_.getInt64Ty();
  const unsigned size = access.size;
  const auto all = [&](std::uint64_t value) { return splat(number(value, 64)); };
  Value* good = is_aligned(access, addresses);
  if (access.space == kShared || access.space == kLocal) {
    good = builder_.CreateAnd(good, in_window_of(access, addresses, size));
  } else if (access.range != exec::kKnownRanges) {
    good = builder_.CreateAnd(
        good, in_known_range(access, addresses, exec::needed_bytes(access.kind, size)));
  } else {
    Value* offsets = builder_.CreateSub(addresses, splat(field(offsetof(Warp, arena), wide, true)));
    Value* in_arena =
        builder_.CreateICmpULT(offsets, splat(field(offsetof(Warp, arena_size), wide, true)));
    Value* reads = builder_.CreateAnd(in_arena, lane_mask());
    Value* shadow =
        builder_.CreatePtrToInt(field(offsetof(Warp, shadow), builder_.getPtrTy(), true), wide);
    Value* bytes = builder_.CreateAdd(builder_.CreateLShr(offsets, all(4)), splat(shadow));
    // Four bytes where one is meant: machines gather words. The shadow has room behind its end.
    auto* word = llvm::FixedVectorType::get(builder_.getInt32Ty(), kLanes);
    Value* gathered = builder_.CreateMaskedGather(
        word,
        builder_.CreateIntToPtr(bytes, llvm::FixedVectorType::get(builder_.getPtrTy(), kLanes)),
        llvm::Align(1), reads, llvm::Constant::getNullValue(word));
    Value* valid = builder_.CreateAnd(gathered, splat(number(0xFF)));
    Value* end =
        builder_.CreateTrunc(builder_.CreateAdd(builder_.CreateAnd(offsets, all(15)),
                                                all(exec::needed_bytes(access.kind, size))),
                             word);
    good = builder_.CreateAnd(good, builder_.CreateICmpULE(end, valid));
  }
  Value* wrong = builder_.CreateAnd(mask_bits(builder_.CreateNot(good)), mask_);
  check(access, builder_.CreateIsNull(wrong), [&] { return addresses; }, {});
}

} // namespace gantry::simt::lower
