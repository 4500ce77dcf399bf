// A wave's registers as the code that is made reaches them.
#pragma once

#include "simt/amdgcn/exec/wave.h"

#include <cstddef>
#include <llvm/IR/IRBuilder.h>
#include <vector>

namespace gantry::simt::amdgcn::lower {

/// Puts accesses to a wave where its builder is.
class WaveMemory {
public:
  WaveMemory(llvm::IRBuilder<>& builder, llvm::Value* wave) : builder_(builder), wave_(wave) {}

  [[nodiscard]] llvm::IRBuilder<>& builder() const { return builder_; }
  [[nodiscard]] llvm::Value* wave() const { return wave_; }

  [[nodiscard]] llvm::Value* member(std::size_t offset) {
    return builder_.CreatePtrAdd(wave_, builder_.getInt64(offset));
  }
  [[nodiscard]] llvm::Value* scalar(unsigned number) {
    return member(offsetof(Wave, s) + 4 * std::size_t{number});
  }
  /// Of 32 bits, as one of 64.
  [[nodiscard]] llvm::Value* load_scalar(unsigned number) {
    return builder_.CreateZExt(
        builder_.CreateAlignedLoad(builder_.getInt32Ty(), scalar(number), llvm::Align(4)),
        builder_.getInt64Ty());
  }
  [[nodiscard]] llvm::Value* load_pair(unsigned number) {
    return builder_.CreateOr(load_scalar(number), builder_.CreateShl(load_scalar(number + 1), 32));
  }
  /// Of the wave's lanes.
  [[nodiscard]] llvm::Value* load_mask(unsigned number, unsigned lanes) {
    return lanes > 32 ? load_pair(number) : load_scalar(number);
  }
  void store_mask(unsigned number, llvm::Value* value, unsigned lanes) {
    store_half(number, value);
    if (lanes > 32) {
      store_half(number + 1, builder_.CreateLShr(value, 32));
    }
  }
  /// A register of a lane, whose number is a value.
  [[nodiscard]] llvm::Value* row(unsigned number, llvm::Value* lane) {
    return builder_.CreatePtrAdd(member(offsetof(Wave, v) + sizeof(Wave::v[0]) * number),
                                 builder_.CreateShl(lane, 2));
  }
  /// A place in the function's frame for a value of each lane of a block, one after the other.
  [[nodiscard]] llvm::AllocaInst* temporary(std::size_t number, unsigned lanes) {
    while (temporaries_.size() <= number) {
      llvm::BasicBlock& entry = builder_.GetInsertBlock()->getParent()->getEntryBlock();
      llvm::IRBuilder<> at_entry(&entry, entry.begin());
      temporaries_.push_back(
          at_entry.CreateAlloca(llvm::ArrayType::get(builder_.getInt32Ty(), lanes)));
      temporaries_.back()->setAlignment(llvm::Align(32));
    }
    return temporaries_[number];
  }

  /// The next ones are others: what is known of one run's does not depend on another's.
  void forget_temporaries() { temporaries_.clear(); }

private:
  void store_half(unsigned number, llvm::Value* value) {
    builder_.CreateAlignedStore(builder_.CreateTrunc(value, builder_.getInt32Ty()), scalar(number),
                                llvm::Align(4));
  }

  llvm::IRBuilder<>& builder_;
  llvm::Value* wave_;
  std::vector<llvm::AllocaInst*> temporaries_;
};

} // namespace gantry::simt::amdgcn::lower
