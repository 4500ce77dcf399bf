// Atomic operations of a warp: lane after lane.
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace gantry::simt::lower {

using exec::AccessKind;
using exec::Warp;

// A sum in floating point as a GPU's atomics make it: NaN is the canonical one, and f32 is flushed
// except in shared memory (PTX ISA 9.0, 9.7.13.5).
//
// Numbers are their bits: unoptimised code converts those of 16 bits, where it loads them, by the
// processor's instruction, which loses what is small.
llvm::Value* WarpFunction::atomic_sum(const MemoryAccess& access, Type* type, Value* address,
                                      Value* old, Value* addend) {
  Type* bits = addend->getType();
  Value* flushes = builder_.getInt1(type->isFloatTy() && access.space != kShared);
  if (type->isFloatTy() && access.space == kGeneric) {
    Value* offset = builder_.CreateSub(builder_.CreatePtrToInt(address, builder_.getInt64Ty()),
                                       field(offsetof(Warp, shared), builder_.getInt64Ty(), true));
    Value* size = field(offsetof(Warp, shared_size), builder_.getInt32Ty(), true);
    flushes = builder_.CreateICmpUGE(offset, builder_.CreateZExt(size, builder_.getInt64Ty()));
  }
  const auto flushed = [&](Value* word) -> Value* {
    if (!type->isFloatTy()) {
      return word;
    }
    Value* is_normal = builder_.CreateIsNotNull(builder_.CreateAnd(word, 0x7F800000));
    Value* keeps = builder_.CreateOr(is_normal, builder_.CreateNot(flushes));
    return builder_.CreateSelect(keeps, word, builder_.CreateAnd(word, 0x80000000));
  };
  if (type->isBFloatTy()) {
    // As f32, whose upper half it is; the processor's own conversion would flush subnormals.
    Type* word = builder_.getInt32Ty();
    const auto wide = [&](Value* half) {
      return builder_.CreateBitCast(builder_.CreateShl(builder_.CreateZExt(half, word), 16),
                                    builder_.getFloatTy());
    };
    Value* sum = builder_.CreateFAdd(wide(old), wide(addend));
    Value* exact = builder_.CreateBitCast(sum, word);
    Value* odd = builder_.CreateAnd(builder_.CreateLShr(exact, 16), 1);
    Value* rounded = builder_.CreateAdd(exact, builder_.CreateAdd(odd, number(0x7FFF)));
    return builder_.CreateSelect(builder_.CreateFCmpUNO(sum, sum),
                                 llvm::ConstantInt::get(bits, 0x7FFF),
                                 builder_.CreateTrunc(builder_.CreateLShr(rounded, 16), bits));
  }
  Value* a = builder_.CreateBitCast(flushed(old), type);
  Value* b = builder_.CreateBitCast(flushed(addend), type);
  Value* sum = builder_.CreateFAdd(a, b);
  const std::uint64_t nan = type->isDoubleTy()  ? 0x7FF8000000000000
                            : type->isFloatTy() ? 0x7FFFFFFF
                                                : 0x7FFF;
  return builder_.CreateSelect(builder_.CreateFCmpUNO(sum, sum), llvm::ConstantInt::get(bits, nan),
                               flushed(builder_.CreateBitCast(sum, bits)));
}

// By comparing and swapping whole words: a NaN is not equal to itself as a number, and does not
// come back from a conversion as it was.
llvm::Value* WarpFunction::atomic_add_floating(const MemoryAccess& access, Type* type,
                                               Value* address, Value* value, bool own) {
  const llvm::Align natural(access.size);
  Type* bits = value->getType();
  llvm::LoadInst* first = builder_.CreateAlignedLoad(bits, address, natural);
  if (own) {
    builder_.CreateAlignedStore(atomic_sum(access, type, address, first, value), address, natural);
    return first;
  }
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  auto* before = builder_.GetInsertBlock();
  auto* attempt = new_block("attempt");
  auto* done = new_block("added");
  builder_.CreateBr(attempt);
  builder_.SetInsertPoint(attempt);
  llvm::PHINode* old = builder_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  constexpr auto kOrdering = llvm::AtomicOrdering::SequentiallyConsistent;
  Value* exchange =
      builder_.CreateAtomicCmpXchg(address, old, atomic_sum(access, type, address, old, value),
                                   natural, kOrdering, llvm::AtomicOrdering::Monotonic);
  old->addIncoming(builder_.CreateExtractValue(exchange, 0), builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateExtractValue(exchange, 1), done, attempt);
  builder_.SetInsertPoint(done);
  return old;
}

// A block's shared memory is touched by the one host thread that runs it, so what is done there
// needs no locked instruction.
llvm::Value* WarpFunction::atomic_of_lane(const llvm::Instruction& instruction,
                                          const MemoryAccess& access, Value* address, Value* value,
                                          Value* expected) {
  constexpr auto kOrdering = llvm::AtomicOrdering::SequentiallyConsistent;
  const bool own = access.space == kShared || access.space == kLocal;
  const llvm::Align natural(access.size);
  const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  if (update != nullptr && update->getOperation() == llvm::AtomicRMWInst::FAdd) {
    return atomic_add_floating(access, update->getType(), address, value, own);
  }
  if (!own) {
    return update != nullptr ? builder_.CreateAtomicRMW(update->getOperation(), address, value,
                                                        natural, kOrdering)
                             : builder_.CreateExtractValue(
                                   builder_.CreateAtomicCmpXchg(address, expected, value, natural,
                                                                kOrdering, kOrdering),
                                   0);
  }
  Value* old = builder_.CreateAlignedLoad(value->getType(), address, natural);
  builder_.CreateAlignedStore(
      update != nullptr ? llvm::buildAtomicRMWValue(update->getOperation(), builder_, old, value)
                        : builder_.CreateSelect(builder_.CreateICmpEQ(old, expected), value, old),
      address, natural);
  return old;
}

// Lane after lane.
void WarpFunction::emit_atomic(const llvm::Instruction& instruction) {
  const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  const Value* pointer =
      update != nullptr ? update->getPointerOperand() : exchange->getPointerOperand();
  const Value* operand = update != nullptr ? update->getValOperand() : exchange->getNewValOperand();
  Type* const type = operand->getType();
  // See atomic_sum. What another block's conversion was made of may be known there alone.
  if (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(operand);
      cast != nullptr && cast->getParent() == instruction.getParent()) {
    operand = cast->getOperand(0);
  }
  const auto size = static_cast<unsigned>(type->getPrimitiveSizeInBits() / 8);
  Type* const bits = builder_.getIntNTy(size * 8);
  const auto as_bits = [&](const Value* value) {
    return builder_.CreateBitCast(vector(value), vector_type(bits));
  };
  const MemoryAccess access = access_of(instruction, pointer, size, AccessKind::kAtomic);
  if (options_.one_lane) {
    // An update whose result is not used, see lane_loops.cpp.
    Value* address = scalar(pointer);
    check_uniform(access, address, [&] { return splat(here(address)); });
    (void)atomic_of_lane(instruction, access, host_pointer(access, address),
                         builder_.CreateBitCast(scalar(operand), bits), nullptr);
    return;
  }
  Value* addresses = addresses_of(access);
  check_lanes(access, addresses);
  builder_.CreateAlignedStore(host_vector(access, addresses), scratch_[0], llvm::Align(64));
  builder_.CreateAlignedStore(as_bits(operand), scratch_[1], llvm::Align(64));
  if (exchange != nullptr) {
    builder_.CreateAlignedStore(as_bits(exchange->getCompareOperand()), scratch_[2],
                                llvm::Align(64));
  }
  const auto element = [&](llvm::AllocaInst* array, Type* of, Value* lane) {
    return builder_.CreateGEP(of, array, lane);
  };
  const bool used = !instruction.use_empty();
  for_each_lane(mask_, [&](Value* lane) {
    Value* address = builder_.CreateIntToPtr(
        builder_.CreateLoad(builder_.getInt64Ty(),
                            element(scratch_[0], builder_.getInt64Ty(), lane)),
        builder_.getPtrTy());
    Value* value = builder_.CreateLoad(bits, element(scratch_[1], bits, lane));
    Value* expected =
        exchange == nullptr ? nullptr : builder_.CreateLoad(bits, element(scratch_[2], bits, lane));
    Value* old = atomic_of_lane(instruction, access, address, value, expected);
    if (used) {
      builder_.CreateStore(old, element(scratch_[3], bits, lane));
    }
  });
  if (!used) {
    warp_values_[&instruction] = {};
    return;
  }
  Value* old = builder_.CreateBitCast(
      builder_.CreateAlignedLoad(vector_type(bits), scratch_[3], llvm::Align(64)),
      vector_type(type));
  if (exchange != nullptr) {
    Value* both = llvm::PoisonValue::get(vector_type(instruction.getType()));
    both = builder_.CreateInsertValue(both, old, 0);
    old = builder_.CreateInsertValue(
        both, builder_.CreateICmpEQ(old, vector(exchange->getCompareOperand())), 1);
  }
  define_vector(instruction, old);
}

} // namespace gantry::simt::lower
