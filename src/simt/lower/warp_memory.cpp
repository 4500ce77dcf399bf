// Memory accesses of a warp: a scalar access if all lanes have the same address, a vector access if
// their addresses are consecutive, a gather or scatter otherwise. Each is checked first, if asked
// for.
#include "simt/lower/scalar_function.h"
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>

namespace gantry::simt::lower {

using exec::AccessKind;
using exec::kLanes;
using exec::Warp;

WarpFunction::MemoryAccess WarpFunction::access_of(const llvm::Instruction& instruction,
                                                   const Value* pointer, unsigned size,
                                                   AccessKind kind) {
  MemoryAccess access{pointer,
                      pointer->getType()->getPointerAddressSpace(),
                      size,
                      size,
                      0,
                      kind,
                      number(options_.first_site, 64),
                      exec::kKnownRanges};
  if (const std::optional<AccessOrigin> origin = AccessOrigin::of(instruction)) {
    access.site = number(options_.first_site + origin->instruction, 64);
    if (origin->vector_size > size) {
      access.alignment = origin->vector_size;
      access.offset = origin->offset;
    }
  }
  const bool is_in_loop =
      options_.one_lane || divergence_.loops().getLoopFor(instruction.getParent()) != nullptr;
  if (is_in_loop && access.space != kShared && access.space != kLocal) {
    access.range = next_range_++ % exec::kKnownRanges;
  }
  return access;
}

bool WarpFunction::consecutive(const MemoryAccess& access) const {
  const Shape of = shape(access.pointer);
  return rows() == 1 && of.is_affine() && of.stride == access.size && access.space != kLocal;
}

/// Whether all lanes have one address while the guard holds.
bool WarpFunction::one_place_mostly(const MemoryAccess& access) const {
  const Shape of = shape(access.pointer);
  return rows() == 1 && of.is_affine() && of.stride == 0 && of.guarded && !of.has_row_stride &&
         !may_be_own(access);
}

// Whether each row has one address or consecutive ones. Not if the code is watched, because the
// watch is called for an access as a whole.
bool WarpFunction::by_rows(const MemoryAccess& access) const {
  const Shape of = shape(access.pointer);
  return rows() > 1 && of.is_affine() && (of.stride == access.size || of.stride == 0) &&
         access.space != kTrusted && !may_be_own(access) && !options_.watch_accesses;
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

llvm::Value* WarpFunction::in_window(const MemoryAccess& access, Value* base) {
  if (access.space != kShared || is_sign_extended(access.pointer)) {
    return base;
  }
  return builder_.CreateSExt(builder_.CreateTrunc(base, builder_.getInt32Ty()),
                             builder_.getInt64Ty());
}

llvm::Value* WarpFunction::host_scalar(const MemoryAccess& access, Value* address) {
  if (access.space == kShared) {
    Value* base = field(offsetof(Warp, shared), builder_.getInt64Ty(), true);
    return builder_.CreateAdd(base, address);
  }
  return address;
}

llvm::Value* WarpFunction::host_vector(const MemoryAccess& access, Value* addresses) {
  if (access.space == kShared) {
    return builder_.CreateAdd(splat(field(offsetof(Warp, shared), builder_.getInt64Ty(), true)),
                              addresses);
  }
  if (access.space == kLocal) {
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
llvm::Value* WarpFunction::addresses_of(const MemoryAccess& access) {
  Value* addresses = vector(access.pointer);
  if (access.space != kGeneric || !options_.local_addresses) {
    return addresses;
  }
  Value* local = nullptr;
  Value* offsets = offsets_in_local(addresses, &local);
  MemoryAccess window = access;
  window.space = kLocal;
  return builder_.CreateSelect(local, host_vector(window, offsets), addresses);
}

// No access may be moved across, as far as the compiler goes.
void WarpFunction::compiler_fence() {
  builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
}

llvm::Value* WarpFunction::host_pointer(const MemoryAccess& access, Value* address) {
  return builder_.CreateIntToPtr(host_scalar(access, address), builder_.getPtrTy());
}

llvm::Value* WarpFunction::host_pointers(const MemoryAccess& access, Value* addresses) {
  return builder_.CreateIntToPtr(host_vector(access, addresses),
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

llvm::Value* WarpFunction::gather_lanes(const MemoryAccess& access, Type* type, Value* addresses) {
  auto* result = llvm::FixedVectorType::get(type, kLanes);
  check_lanes(access, addresses);
  return builder_.CreateMaskedGather(result, host_pointers(access, addresses),
                                     llvm::Align(access.size), lane_mask(),
                                     llvm::Constant::getNullValue(result));
}

// If all lanes turn out to have one address, one load for all: lanes that execute a load together
// get the same value even while another thread writes there, because code in lockstep relies on it.
llvm::Value* WarpFunction::gather_or_one(const MemoryAccess& access, Type* type, Value* addresses) {
  if (access.space == kLocal) {
    return gather_lanes(access, type, addresses);
  }
  Value* first = builder_.CreateExtractElement(addresses, first_lane());
  Value* same =
      builder_.CreateAnd(mask_bits(builder_.CreateICmpEQ(addresses, splat(first))), mask_);
  return two_ways(
      builder_.CreateICmpEQ(same, mask_),
      [&] {
        check_uniform(access, first, [&] { return splat(here(first)); });
        return splat(builder_.CreateAlignedLoad(type, host_pointer(access, first),
                                                llvm::Align(access.size)));
      },
      [&] { return gather_lanes(access, type, addresses); });
}

// One with a mask costs much more than one without, on some processors, so that where all lanes are
// active it is worth a branch.
llvm::Value* WarpFunction::if_all_lanes(llvm::function_ref<Value*()> all,
                                        llvm::function_ref<Value*()> some) {
  return two_ways(builder_.CreateICmpEQ(mask_, number(exec::kAllLanes)), all, some);
}

// Row by row if all lanes are active and the bases are good, else each lane by itself; or to
// consecutive elements, if they do not wrap around.
llvm::Value* WarpFunction::access_lanes(const MemoryAccess& access,
                                        llvm::function_ref<Value*(Value* pointer)> together,
                                        llvm::function_ref<Value*()> by_row,
                                        llvm::function_ref<Value*(Value* addresses)> scattered) {
  const WarpValue of = warp_value(access.pointer);
  if (by_rows(access)) {
    Value* good = builder_.CreateICmpEQ(mask_, number(exec::kAllLanes));
    if (of.guard != nullptr) {
      good = builder_.CreateAnd(good, of.guard);
    }
    return two_ways(good, by_row, [&] { return scattered(addresses_by_rows(access)); });
  }
  if (!consecutive(access)) {
    return scattered(addresses_of(access));
  }
  Value* const guard = of.guard;
  Value* base = in_window(access, of.scalar);
  const auto straight = [&] {
    check_consecutive(access, base, [&] { return lanes_from(here(base), nullptr, access.size); });
    return together(host_pointer(access, base));
  };
  if (guard == nullptr) {
    return straight();
  }
  Value* const first = of.scalar;
  Value* const correction = of.correction;
  return two_ways(guard, straight, [&] {
    return scattered(builder_.CreateAdd(lanes_from(here(first), nullptr, access.size), correction));
  });
}

// A load by 32 lanes from different addresses: its vector.
llvm::Value* WarpFunction::load_lanes(const MemoryAccess& access, Type* type) {
  auto* result = llvm::FixedVectorType::get(type, kLanes);
  const llvm::Align alignment(access.size);
  if (one_place_mostly(access)) {
    const WarpValue of = warp_value(access.pointer);
    return two_ways(
        of.guard,
        [&] {
          Value* base = in_window(access, of.scalar);
          check_uniform(access, base, [&] { return splat(here(base)); });
          return splat(builder_.CreateAlignedLoad(type, host_pointer(access, base), alignment));
        },
        [&] {
          return gather_lanes(access, type,
                              builder_.CreateAdd(splat(here(of.scalar)), of.correction));
        });
  }
  return access_lanes(
      access,
      [&](Value* pointer) {
        return if_all_lanes([&] { return builder_.CreateAlignedLoad(result, pointer, alignment); },
                            [&] {
                              return builder_.CreateMaskedLoad(
                                  result, pointer, alignment, lane_mask(),
                                  llvm::Constant::getNullValue(result));
                            });
      },
      [&] { return load_rows(access, type); },
      [&](Value* addresses) { return gather_or_one(access, type, addresses); });
}

// All lanes' addresses, computed only here.
llvm::Value* WarpFunction::addresses_by_rows(const MemoryAccess& access) {
  const WarpValue of = warp_value(access.pointer);
  Value* addresses = lanes_from(here(of.scalar), of.row_stride, shape(access.pointer).stride);
  return of.correction == nullptr ? addresses : builder_.CreateAdd(addresses, of.correction);
}

// Where the access of a row begins, for the host, once it has been checked.
llvm::Value* WarpFunction::row_pointer(const MemoryAccess& access, unsigned row) {
  const WarpValue of = warp_value(access.pointer);
  Value* base = in_window(access, row_from(of.scalar, of.row_stride, row));
  const auto addresses = [&] { return addresses_by_rows(access); };
  if (shape(access.pointer).stride == 0) {
    check_uniform(access, base, addresses);
  } else {
    check_consecutive(access, base, addresses);
  }
  return host_pointer(access, base);
}

llvm::Value* WarpFunction::load_rows(const MemoryAccess& access, Type* type) {
  const Shape of = shape(access.pointer);
  const llvm::Align alignment(access.size);
  auto* row_type = llvm::FixedVectorType::get(type, width_);
  llvm::SmallVector<Value*> parts;
  for (unsigned row = 0; row < (of.has_row_stride ? rows() : 1); ++row) {
    Value* pointer = row_pointer(access, row);
    parts.push_back(of.stride == 0
                        ? builder_.CreateVectorSplat(
                              width_, builder_.CreateAlignedLoad(type, pointer, alignment))
                        : builder_.CreateAlignedLoad(row_type, pointer, alignment));
  }
  parts.resize(rows(), parts[0]);
  return joined_rows(parts);
}

// Of lanes with the same address, the last one's value is stored.
void WarpFunction::store_rows(const MemoryAccess& access, Value* values) {
  const Shape of = shape(access.pointer);
  const llvm::Align alignment(access.size);
  for (unsigned row = of.has_row_stride ? 0 : rows() - 1; row < rows(); ++row) {
    Value* pointer = row_pointer(access, row);
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
  const MemoryAccess access = access_of(load, load.getPointerOperand(), size, AccessKind::kLoad);
  const bool ordered = load.isAtomic() || load.isVolatile();
  if (ordered) {
    compiler_fence();
  }
  if (shape(access.pointer).is_uniform() && !may_be_own(access)) {
    Value* address = scalar(access.pointer);
    check_uniform(access, address, [&] { return splat(here(address)); });
    auto* one = builder_.CreateAlignedLoad(type, host_pointer(access, address), llvm::Align(size));
    if (ordered) {
      one->setAtomic(llvm::AtomicOrdering::Acquire);
    }
    define_scalar(load, one);
    return;
  }
  define_vector(load, load_lanes(access, type));
  if (ordered) {
    compiler_fence();
  }
}

void WarpFunction::store_lanes(const MemoryAccess& access, Value* values) {
  const llvm::Align alignment(access.size);
  const auto nothing = [](auto&&) -> Value* { return nullptr; };
  access_lanes(
      access,
      [&](Value* pointer) {
        return if_all_lanes(
            [&] { return nothing(builder_.CreateAlignedStore(values, pointer, alignment)); },
            [&] {
              return nothing(builder_.CreateMaskedStore(values, pointer, alignment, lane_mask()));
            });
      },
      [&]() -> Value* {
        store_rows(access, values);
        return nullptr;
      },
      [&](Value* addresses) {
        check_lanes(access, addresses);
        return nothing(builder_.CreateMaskedScatter(values, host_pointers(access, addresses),
                                                    alignment, lane_mask()));
      });
}

void WarpFunction::emit_store(const llvm::StoreInst& store) {
  Type* type = scalar_type(store.getValueOperand()->getType());
  const auto size = static_cast<unsigned>(type->getPrimitiveSizeInBits() / 8);
  const MemoryAccess access = access_of(store, store.getPointerOperand(), size, AccessKind::kStore);
  const bool ordered = store.isAtomic() || store.isVolatile();
  if (ordered) {
    compiler_fence();
  }
  if (shape(access.pointer).is_uniform() && !may_be_own(access)) {
    // One address: the last lane's value is stored.
    Value* address = scalar(access.pointer);
    check_uniform(access, address, [&] { return splat(here(address)); });
    Value* value = nullptr;
    if (shape(store.getValueOperand()).is_uniform()) {
      value = scalar(store.getValueOperand());
    } else {
      Value* last = builder_.CreateSub(
          number(kLanes - 1),
          builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, mask_, builder_.getTrue()));
      value = builder_.CreateExtractElement(vector(store.getValueOperand()), last);
    }
    auto* one =
        builder_.CreateAlignedStore(value, host_pointer(access, address), llvm::Align(size));
    if (ordered) {
      one->setAtomic(llvm::AtomicOrdering::Release);
    }
  } else {
    store_lanes(access, vector(store.getValueOperand()));
  }
  if (ordered) {
    compiler_fence();
  }
}

} // namespace gantry::simt::lower
