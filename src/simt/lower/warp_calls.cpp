// Calls of a warp: of the program's functions, and of system calls.
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>

namespace gantry::simt::lower {

using exec::kLanes;
using exec::Services;
using exec::Warp;

void WarpFunction::call_code(Value* code, Value* mask) {
  auto* type = llvm::FunctionType::get(
      builder_.getVoidTy(),
      {builder_.getPtrTy(), builder_.getInt32Ty(), builder_.getPtrTy(), builder_.getPtrTy()},
      false);
  auto* call = builder_.CreateCall(type, code, {warp_, mask, words_in_, words_out_});
  call->addFnAttr(llvm::Attribute::NoUnwind);
}

void WarpFunction::store_words(const llvm::CallInst& call, unsigned first, unsigned end) {
  for (unsigned i = first; i < end; ++i) {
    builder_.CreateAlignedStore(vector(call.getArgOperand(i)),
                                builder_.CreateConstGEP1_64(builder_.getInt64Ty(), words_in_,
                                                            std::uint64_t{i - first} * kLanes),
                                llvm::Align(64));
  }
}

llvm::Value* WarpFunction::load_words(const llvm::CallInst& call) {
  Value* results = llvm::PoisonValue::get(vector_type(call.getType()));
  const auto* type = llvm::cast<llvm::StructType>(call.getType());
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Value* address =
        builder_.CreateConstGEP1_64(builder_.getInt64Ty(), words_out_, std::uint64_t{i} * kLanes);
    results = builder_.CreateInsertValue(
        results,
        builder_.CreateAlignedLoad(vector_type(type->getElementType(i)), address, llvm::Align(64)),
        i);
  }
  return results;
}

// A call by the active lanes, or for an indirect one by those with the same target, target after
// target.
void WarpFunction::emit_call(const llvm::CallInst& call, bool direct) {
  auto* wide = builder_.getInt64Ty();
  auto* pointer = builder_.getPtrTy();
  constexpr unsigned kFirstWord = 3;
  Value* site = scalar(call.getArgOperand(1));
  Value* signature = scalar(call.getArgOperand(2));
  const bool returns = !call.getType()->isVoidTy();
  const auto resolve = [&](Value* handle, Value* mask) {
    return call_service(offsetof(Services, resolve_call), pointer,
                        {warp_, mask, handle, signature, site});
  };
  if (direct || shape(call.getArgOperand(0)).is_uniform()) {
    store_words(call, kFirstWord, call.arg_size());
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
      define_vector(call, load_words(call));
    }
    return;
  }
  // Lanes with different targets: the arguments are stored anew for each, the results collected.
  llvm::AllocaInst* left = variable(builder_.getInt32Ty(), "to.call");
  llvm::AllocaInst* collected =
      returns ? variable(vector_type(call.getType()), "collected") : nullptr;
  Value* handles = vector(call.getArgOperand(0));
  for (unsigned i = kFirstWord; i < call.arg_size(); ++i) {
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
  store_words(call, kFirstWord, call.arg_size());
  call_code(resolve(handle, same), same);
  if (returns) {
    Value* results = load_words(call);
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

void WarpFunction::emit_words_call(const llvm::CallInst& call, std::size_t service) {
  auto* wide = builder_.getInt64Ty();
  const unsigned last = call.arg_size() - 1;
  store_words(call, 1, last);
  call_service(service, builder_.getVoidTy(),
               {warp_, mask_, scalar(call.getArgOperand(0)), words_in_, words_out_,
                scalar(call.getArgOperand(last))});
  if (service == offsetof(Services, await_async) && lanes_may_be_elsewhere()) {
    resume();
  }
  define_vector(call, builder_.CreateAlignedLoad(vector_type(wide), words_out_, llvm::Align(64)));
}

} // namespace gantry::simt::lower
