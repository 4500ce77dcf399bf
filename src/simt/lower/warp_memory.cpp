// Memory accesses of a warp: one scalar access where all lanes name the same place, one vector
// access where they name consecutive ones, a gather or scatter otherwise; each checked first, if
// asked for.
#include "simt/lower/scalar_function.h"
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>

namespace gantry::simt::lower {

using exec::AccessKind;
using exec::kLanes;
using exec::Warp;

WarpFunction::Place WarpFunction::place_of(const llvm::Instruction& access, const Value* pointer,
                                           unsigned size, AccessKind kind) {
  Place place{pointer,
              pointer->getType()->getPointerAddressSpace(),
              size,
              size,
              0,
              kind,
              number(options_.first_site, 64)};
  if (const std::optional<AccessOrigin> origin = AccessOrigin::of(access)) {
    place.site = number(options_.first_site + origin->instruction, 64);
    if (origin->vector_size > size) {
      place.alignment = origin->vector_size;
      place.offset = origin->offset;
    }
  }
  return place;
}

bool WarpFunction::consecutive(const Place& place) const {
  const Shape of = shape(place.pointer);
  return rows() == 1 && of.is_affine() && of.stride == place.size && place.space != kLocal;
}

// In each row one place, or consecutive ones. Who looks at accesses is told of one as a whole.
bool WarpFunction::by_rows(const Place& place) const {
  const Shape of = shape(place.pointer);
  return rows() > 1 && of.is_affine() && (of.stride == place.size || of.stride == 0) &&
         place.space != kTrusted && !may_be_own(place) && !options_.watch_accesses;
}

namespace {

// Whether an address is a number of 32 bits with a sign, and a constant.
bool is_sign_extended(const llvm::Value* pointer) {
  while (const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer)) {
    if (!element->hasAllConstantIndices()) {
      return false;
    }
    pointer = element->getPointerOperand();
  }
  const auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(pointer);
  return cast != nullptr && llvm::isa<llvm::SExtInst>(cast->getOperand(0));
}

} // namespace

llvm::Value* WarpFunction::in_window(const Place& place, Value* base) {
  if (place.space != kShared || is_sign_extended(place.pointer)) {
    return base;
  }
  return builder_.CreateSExt(builder_.CreateTrunc(base, builder_.getInt32Ty()),
                             builder_.getInt64Ty());
}

// The base of a consecutive access. Offsets in a block's window are small numbers, so there a base
// that wraps around in 32 bits is just one before the window, of a lane that is not active.
llvm::Value* WarpFunction::base_of(const Place& place, Value** guard) {
  const Form& of = form(place.pointer);
  *guard = of.guard;
  if (place.space != kShared) {
    return of.scalar;
  }
  *guard = nullptr;
  return in_window(place, of.scalar);
}

llvm::Value* WarpFunction::host_scalar(const Place& place, Value* address) {
  if (place.space == kShared) {
    Value* base = field(offsetof(Warp, shared), builder_.getInt64Ty(), true);
    return builder_.CreateAdd(base, address);
  }
  return address;
}

llvm::Value* WarpFunction::host_vector(const Place& place, Value* addresses) {
  if (place.space == kShared) {
    return builder_.CreateAdd(splat(field(offsetof(Warp, shared), builder_.getInt64Ty(), true)),
                              addresses);
  }
  if (place.space == kLocal) {
    Value* base = field(offsetof(Warp, local), builder_.getInt64Ty(), true);
    Value* stride = builder_.CreateZExt(
        field(offsetof(Warp, local_stride), builder_.getInt32Ty(), true), builder_.getInt64Ty());
    Value* windows = builder_.CreateAdd(
        splat(base), builder_.CreateMul(splat(stride), lane_numbers(builder_.getInt64Ty())));
    return builder_.CreateAdd(windows, addresses);
  }
  return addresses;
}

llvm::Value* WarpFunction::offsets_in_local(Value* addresses, Value** local) {
  auto* wide = builder_.getInt64Ty();
  auto* number_type = llvm::FixedVectorType::get(builder_.getFloatTy(), kLanes);
  Value* base = splat(field(offsetof(Warp, local), wide, true));
  Value* stride = splat(
      builder_.CreateZExt(field(offsetof(Warp, local_stride), builder_.getInt32Ty(), true), wide));
  Value* offset = builder_.CreateSub(addresses, base);
  Value* end = builder_.CreateMul(stride, splat(number(kLanes, 64)));
  *local = builder_.CreateICmpULT(offset, end);
  // By a quotient in floating point, which may be one off.
  auto* word = llvm::FixedVectorType::get(builder_.getInt32Ty(), kLanes);
  Value* small =
      builder_.CreateTrunc(builder_.CreateSelect(*local, offset, splat(number(0, 64))), word);
  Value* step = builder_.CreateTrunc(stride, word);
  Value* window =
      builder_.CreateFPToSI(builder_.CreateFDiv(builder_.CreateSIToFP(small, number_type),
                                                builder_.CreateSIToFP(step, number_type)),
                            word);
  Value* rest = builder_.CreateSub(small, builder_.CreateMul(window, step));
  Value* below = builder_.CreateICmpSLT(rest, splat(number(0)));
  rest = builder_.CreateSelect(below, builder_.CreateAdd(rest, step), rest);
  Value* above = builder_.CreateICmpSGE(rest, step);
  rest = builder_.CreateSelect(above, builder_.CreateSub(rest, step), rest);
  return builder_.CreateSelect(*local, builder_.CreateZExt(rest, offset->getType()), offset);
}

// On a GPU the local memory of every thread has the same generic addresses; here each lane's window
// has its own. An address of any window, which may have come from another lane, means this lane's.
llvm::Value* WarpFunction::addresses_of(const Place& place) {
  Value* addresses = vector(place.pointer);
  if (place.space != kGeneric || !options_.local_addresses) {
    return addresses;
  }
  Value* local = nullptr;
  Value* offsets = offsets_in_local(addresses, &local);
  Place window = place;
  window.space = kLocal;
  return builder_.CreateSelect(local, host_vector(window, offsets), addresses);
}

// No access may be moved across, as far as the compiler goes.
void WarpFunction::compiler_fence() {
  builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
}

llvm::Value* WarpFunction::host_pointer(const Place& place, Value* address) {
  return builder_.CreateIntToPtr(host_scalar(place, address), builder_.getPtrTy());
}

llvm::Value* WarpFunction::host_pointers(const Place& place, Value* addresses) {
  return builder_.CreateIntToPtr(host_vector(place, addresses),
                                 llvm::FixedVectorType::get(builder_.getPtrTy(), kLanes));
}

llvm::Value* WarpFunction::two_ways(Value* condition, llvm::function_ref<Value*()> yes,
                                    llvm::function_ref<Value*()> no) {
  auto* first = new_block("yes");
  auto* second = new_block("no");
  auto* done = new_block("done");
  builder_.CreateCondBr(condition, first, second);
  builder_.SetInsertPoint(first);
  Value* one = yes();
  first = builder_.GetInsertBlock();
  builder_.CreateBr(done);
  builder_.SetInsertPoint(second);
  Value* other = no();
  second = builder_.GetInsertBlock();
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  if (one == nullptr) {
    return nullptr;
  }
  llvm::PHINode* merged = builder_.CreatePHI(one->getType(), 2);
  merged->addIncoming(one, first);
  merged->addIncoming(other, second);
  return merged;
}

llvm::Value* WarpFunction::gather_lanes(const Place& place, Type* type, Value* addresses) {
  auto* result = llvm::FixedVectorType::get(type, kLanes);
  check_lanes(place, addresses);
  return builder_.CreateMaskedGather(result, host_pointers(place, addresses),
                                     llvm::Align(place.size), lane_mask(),
                                     llvm::Constant::getNullValue(result));
}

// If all lanes turn out to name one place, one load for all: lanes that execute a load together see
// the same value even while somebody else writes there, which code that runs in lockstep counts on.
llvm::Value* WarpFunction::gather_or_one(const Place& place, Type* type, Value* addresses) {
  if (place.space == kLocal) {
    return gather_lanes(place, type, addresses);
  }
  Value* first = builder_.CreateExtractElement(addresses, first_lane());
  Value* same =
      builder_.CreateAnd(mask_bits(builder_.CreateICmpEQ(addresses, splat(first))), mask_);
  return two_ways(
      builder_.CreateICmpEQ(same, mask_),
      [&] {
        check_uniform(place, first, [&] { return splat(here(first)); });
        return splat(
            builder_.CreateAlignedLoad(type, host_pointer(place, first), llvm::Align(place.size)));
      },
      [&] { return gather_lanes(place, type, addresses); });
}

// One with a mask costs much more than one without, on some processors, so that where all lanes are
// active it is worth a branch.
llvm::Value* WarpFunction::if_all_lanes(llvm::function_ref<Value*()> all,
                                        llvm::function_ref<Value*()> some) {
  return two_ways(builder_.CreateICmpEQ(mask_, number(exec::kAllLanes)), all, some);
}

// Row by row if all lanes are active and the bases are good, else each lane by itself; or to
// consecutive elements, if they do not wrap around.
llvm::Value* WarpFunction::access_lanes(const Place& place,
                                        llvm::function_ref<Value*(Value* pointer)> together,
                                        llvm::function_ref<Value*()> by_row,
                                        llvm::function_ref<Value*(Value* addresses)> scattered) {
  const Form& of = form(place.pointer);
  if (by_rows(place)) {
    Value* good = builder_.CreateICmpEQ(mask_, number(exec::kAllLanes));
    if (of.guard != nullptr && place.space != kShared) {
      good = builder_.CreateAnd(good, of.guard);
    }
    return two_ways(good, by_row, [&] { return scattered(addresses_by_rows(place)); });
  }
  if (!consecutive(place)) {
    return scattered(addresses_of(place));
  }
  Value* guard = nullptr;
  Value* base = base_of(place, &guard);
  const auto straight = [&] {
    check_consecutive(place, base, [&] { return lanes_from(here(base), nullptr, place.size); });
    return together(host_pointer(place, base));
  };
  if (guard == nullptr) {
    return straight();
  }
  Value* off = form(place.pointer).off;
  return two_ways(guard, straight, [&] {
    return scattered(builder_.CreateAdd(lanes_from(here(base), nullptr, place.size), off));
  });
}

// A load by 32 lanes that do not name the same place: its vector.
llvm::Value* WarpFunction::load_lanes(const Place& place, Type* type) {
  auto* result = llvm::FixedVectorType::get(type, kLanes);
  const llvm::Align alignment(place.size);
  return access_lanes(
      place,
      [&](Value* pointer) {
        return if_all_lanes([&] { return builder_.CreateAlignedLoad(result, pointer, alignment); },
                            [&] {
                              return builder_.CreateMaskedLoad(
                                  result, pointer, alignment, lane_mask(),
                                  llvm::Constant::getNullValue(result));
                            });
      },
      [&] { return load_rows(place, type); },
      [&](Value* addresses) { return gather_or_one(place, type, addresses); });
}

// All lanes' addresses, computed only here.
llvm::Value* WarpFunction::addresses_by_rows(const Place& place) {
  const Form& of = form(place.pointer);
  Value* addresses = lanes_from(here(of.scalar), of.step, shape(place.pointer).stride);
  return of.off == nullptr ? addresses : builder_.CreateAdd(addresses, of.off);
}

// Where the access of a row begins, for the host, once it has been checked.
llvm::Value* WarpFunction::row_pointer(const Place& place, unsigned row) {
  const Form of = form(place.pointer);
  Value* base = in_window(place, row_from(of.scalar, of.step, row));
  const auto addresses = [&] { return addresses_by_rows(place); };
  if (shape(place.pointer).stride == 0) {
    check_uniform(place, base, addresses);
  } else {
    check_consecutive(place, base, addresses);
  }
  return host_pointer(place, base);
}

llvm::Value* WarpFunction::load_rows(const Place& place, Type* type) {
  const Shape of = shape(place.pointer);
  const llvm::Align alignment(place.size);
  auto* row_type = llvm::FixedVectorType::get(type, width_);
  llvm::SmallVector<Value*> parts;
  for (unsigned row = 0; row < (of.steps ? rows() : 1); ++row) {
    Value* pointer = row_pointer(place, row);
    parts.push_back(of.stride == 0
                        ? builder_.CreateVectorSplat(
                              width_, builder_.CreateAlignedLoad(type, pointer, alignment))
                        : builder_.CreateAlignedLoad(row_type, pointer, alignment));
  }
  parts.resize(rows(), parts[0]);
  return joined_rows(parts);
}

// Where lanes name one place, the last of them has its value there.
void WarpFunction::store_rows(const Place& place, Value* values) {
  const Shape of = shape(place.pointer);
  const llvm::Align alignment(place.size);
  for (unsigned row = of.steps ? 0 : rows() - 1; row < rows(); ++row) {
    Value* pointer = row_pointer(place, row);
    const unsigned last = (row + 1) * width_ - 1;
    if (of.stride == 0) {
      builder_.CreateAlignedStore(builder_.CreateExtractElement(values, last), pointer, alignment);
      continue;
    }
    llvm::SmallVector<int> elements;
    for (unsigned lane = row * width_; lane <= last; ++lane) {
      elements.push_back(static_cast<int>(lane));
    }
    builder_.CreateAlignedStore(builder_.CreateShuffleVector(values, elements), pointer, alignment);
  }
}

void WarpFunction::emit_load(const llvm::LoadInst& load) {
  Type* type = scalar_type(load.getType());
  const auto size = static_cast<unsigned>(type->getPrimitiveSizeInBits() / 8);
  const Place place = place_of(load, load.getPointerOperand(), size, AccessKind::kLoad);
  const bool ordered = load.isAtomic() || load.isVolatile();
  if (ordered) {
    compiler_fence();
  }
  if (shape(place.pointer).is_uniform() && !may_be_own(place)) {
    Value* address = scalar(place.pointer);
    check_uniform(place, address, [&] { return splat(here(address)); });
    auto* one = builder_.CreateAlignedLoad(type, host_pointer(place, address), llvm::Align(size));
    if (ordered) {
      one->setAtomic(llvm::AtomicOrdering::Acquire);
    }
    define_scalar(load, one);
    return;
  }
  define_vector(load, load_lanes(place, type));
  if (ordered) {
    compiler_fence();
  }
}

void WarpFunction::store_lanes(const Place& place, Value* values) {
  const llvm::Align alignment(place.size);
  const auto nothing = [](auto&&) -> Value* { return nullptr; };
  access_lanes(
      place,
      [&](Value* pointer) {
        return if_all_lanes(
            [&] { return nothing(builder_.CreateAlignedStore(values, pointer, alignment)); },
            [&] {
              return nothing(builder_.CreateMaskedStore(values, pointer, alignment, lane_mask()));
            });
      },
      [&]() -> Value* {
        store_rows(place, values);
        return nullptr;
      },
      [&](Value* addresses) {
        check_lanes(place, addresses);
        return nothing(builder_.CreateMaskedScatter(values, host_pointers(place, addresses),
                                                    alignment, lane_mask()));
      });
}

void WarpFunction::emit_store(const llvm::StoreInst& store) {
  Type* type = scalar_type(store.getValueOperand()->getType());
  const auto size = static_cast<unsigned>(type->getPrimitiveSizeInBits() / 8);
  const Place place = place_of(store, store.getPointerOperand(), size, AccessKind::kStore);
  const bool ordered = store.isAtomic() || store.isVolatile();
  if (ordered) {
    compiler_fence();
  }
  if (shape(place.pointer).is_uniform() && !may_be_own(place)) {
    // One place: the last of the lanes has its value there.
    Value* address = scalar(place.pointer);
    check_uniform(place, address, [&] { return splat(here(address)); });
    Value* value = nullptr;
    if (shape(store.getValueOperand()).is_uniform()) {
      value = scalar(store.getValueOperand());
    } else {
      Value* last = builder_.CreateSub(
          number(kLanes - 1),
          builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, mask_, builder_.getTrue()));
      value = builder_.CreateExtractElement(vector(store.getValueOperand()), last);
    }
    auto* one = builder_.CreateAlignedStore(value, host_pointer(place, address), llvm::Align(size));
    if (ordered) {
      one->setAtomic(llvm::AtomicOrdering::Release);
    }
  } else {
    store_lanes(place, vector(store.getValueOperand()));
  }
  if (ordered) {
    compiler_fence();
  }
}

} // namespace gantry::simt::lower
