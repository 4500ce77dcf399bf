#include "simt/amdgcn/lower/lane_run.h"

#include "simt/amdgcn/lower/pipeline.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/MDBuilder.h>

namespace gantry::simt::amdgcn::lower {

namespace {

using Kind = Meaning::Kind;

unsigned rows_of(const Meaning& meaning) {
  return meaning.kind == Kind::kCompare ? 0 : registers_of(meaning.result);
}

/// Whether LLVM knows the result of an operation with the number, whatever the other operand is, or
/// takes the other operand for it: of 0, 1, and what is infinite or no number. That would leave out
/// what makes other operands quiet that are no numbers.
bool is_special(std::uint64_t number, unsigned bits) {
  constexpr std::uint64_t kOnes[] = {0x3c00, 0x3f800000, 0x3ff0000000000000};
  constexpr std::uint64_t kInfinite[] = {0x7c00, 0x7f800000, 0x7ff0000000000000};
  const std::uint64_t magnitude = number & ((std::uint64_t{1} << (bits - 1)) - 1);
  return magnitude == 0 || magnitude == kOnes[bits / 32] || magnitude >= kInfinite[bits / 32];
}

/// A literal has the result's type.
Type type_of_source(const Meaning& meaning, unsigned number) {
  return meaning.sources[number] != Type::kNone ? meaning.sources[number] : meaning.result;
}

} // namespace

/// A lane while the run's operations are put into it.
struct LaneRun::Body {
  explicit Body(llvm::IRBuilder<>& builder) : builder(builder) {}

  llvm::IRBuilder<>& builder;
  llvm::Value* lane = nullptr;
  llvm::Value* within = nullptr; ///< the block's number of the lane, of 32 bits
  llvm::Value* first = nullptr;
  llvm::MDNode* accesses = nullptr;
  bool is_numeric = false;
  llvm::DenseMap<unsigned, llvm::Value*> rows;  ///< of 32 bits
  llvm::DenseMap<unsigned, llvm::Value*> pairs; ///< what two rows from one on are
  std::vector<llvm::Value*> bits;               ///< of operations' masks
  /// Of values that operations of floats have made, or memory: what LLVM sees nothing in that
  /// would change such operations.
  llvm::SmallPtrSet<llvm::Value*, 32> opaque;
};

bool LaneRun::makes_any(const ScalarSet& scalars) const {
  const unsigned size = lanes_ > 32 ? 2 : 1;
  for (const Operation& operation : operations_) {
    if (operation.written) {
      for (unsigned i = 0; i < size; ++i) {
        if (scalars.test(*operation.written + i)) {
          return true;
        }
      }
    }
  }
  return false;
}

bool LaneRun::takes(const Instruction& instruction, unsigned mask_size) const {
  const auto overlaps = [&](unsigned first, unsigned count, bool may_be_same) {
    for (const Operation& operation : operations_) {
      if (!operation.written) {
        continue;
      }
      const unsigned made = *operation.written;
      if (first < made + mask_size && made < first + count && !(may_be_same && first == made)) {
        return true;
      }
    }
    return false;
  };
  for (unsigned i = 0; i < 3; ++i) {
    const Source& source = instruction.sources[i];
    if (source.kind == Source::Kind::kScalar &&
        overlaps(source.index, registers_of(type_of_source(*instruction.meaning, i)), false)) {
      return false;
    }
  }
  const Source& mask = instruction.sources[3];
  if (mask.kind == Source::Kind::kScalar && overlaps(mask.index, mask_size, true)) {
    return false;
  }
  const bool writes =
      instruction.meaning->kind == Kind::kCompare || instruction.meaning->writes_mask;
  return !writes || !overlaps(instruction.mask, mask_size, true);
}

llvm::Value* LaneRun::opaque(std::uint64_t constant) {
  llvm::Value*& known = opaque_[constant];
  if (known == nullptr) {
    llvm::IRBuilder<>& builder = memory_.builder();
    llvm::BasicBlock& entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.begin());
    llvm::Type* const type = builder.getInt64Ty();
    known = at_entry.CreateCall(
        llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "", "=r,0", false),
        {builder.getInt64(constant)});
  }
  return known;
}
llvm::Value* LaneRun::made_opaque(llvm::Value* value) {
  return memory_.builder().CreateXor(value, opaque(0));
}

LaneRun::Operand LaneRun::operand_of(const Instruction& instruction, unsigned number,
                                     const KnownScalars& known) {
  const Source& source = instruction.sources[number];
  const Type type = type_of_source(*instruction.meaning, number);
  Operand made;
  made.bits = bits_of(type);
  made.is_float = is_float(type);
  made.negate = ((instruction.modifiers.negate >> number) & 1) != 0;
  made.absolute = ((instruction.modifiers.absolute >> number) & 1) != 0;
  llvm::IRBuilder<>& builder = memory_.builder();
  switch (source.kind) {
  case Source::Kind::kNone:
    break;
  case Source::Kind::kVector:
    made.kind = Operand::Kind::kRow;
    made.row = source.index;
    break;
  case Source::Kind::kConstant:
  case Source::Kind::kScalar: {
    made.kind = Operand::Kind::kValue;
    const unsigned count = registers_of(type);
    const auto constant = source.kind == Source::Kind::kConstant ? std::optional(source.constant)
                                                                 : known.find(source.index, count);
    made.value = constant     ? builder.getInt64(*constant)
                 : count == 2 ? memory_.load_pair(source.index)
                              : memory_.load_scalar(source.index);
    if (made.is_float && (!constant || is_special(*constant, made.bits))) {
      made.value = made_opaque(made.value);
    }
    break;
  }
  }
  return made;
}

void LaneRun::add(const CodePlace& code, const LaneFunction& function, const KnownScalars& known) {
  const Instruction& instruction = *code.place;
  const Meaning& meaning = *instruction.meaning;
  Operation made;
  made.function = &function;
  for (unsigned i = 0; i < 3; ++i) {
    made.operands[i] = operand_of(instruction, i, known);
  }
  made.result = instruction.result;
  made.rows = rows_of(meaning);
  made.moves = code.mnemonic == "v_mov_b32" || code.mnemonic == "v_cndmask_b32";
  if (meaning.reads_result) {
    Operand& old = made.operands[2];
    old.kind = Operand::Kind::kRow;
    old.row = instruction.result;
    old.bits = bits_of(meaning.result);
    old.is_float = is_float(meaning.result);
  }
  const Source& mask = instruction.sources[3];
  if (mask.kind == Source::Kind::kConstant) {
    made.mask = memory_.builder().getInt64(mask.constant);
  } else if (mask.kind == Source::Kind::kScalar) {
    for (unsigned i = 0; i < operations_.size(); ++i) {
      if (operations_[i].written == mask.index) {
        made.mask_of = i;
      }
    }
    if (!made.mask_of) {
      made.mask = memory_.load_mask(mask.index, lanes_);
    }
  }
  if (meaning.kind == Kind::kCompare || meaning.writes_mask) {
    made.written = instruction.mask;
  }
  operations_.push_back(made);
}

void LaneRun::emit_operation(Body& body, unsigned number) {
  const Operation& operation = operations_[number];
  llvm::IRBuilder<>& builder = body.builder;
  const auto row = [&](unsigned index) {
    llvm::Value*& known = body.rows[index];
    if (known == nullptr) {
      llvm::LoadInst* const load = builder.CreateAlignedLoad(
          builder.getInt32Ty(), memory_.row(index, body.lane), llvm::Align(4));
      load->setMetadata(llvm::LLVMContext::MD_access_group, body.accesses);
      known = load;
      body.opaque.insert(known);
    }
    return known;
  };
  const auto wide = [&](llvm::Value* value) {
    return builder.CreateZExt(value, builder.getInt64Ty());
  };
  const LaneFunction& function = *operation.function;
  llvm::Function* const callee = body.is_numeric ? function.numeric : function.exact;
  // Exact operations of floats are optimised one by one, as where they are interpreted: which bits
  // a result has that is no number, would depend on others else.
  const bool is_alone = function.has_floats && callee == function.exact;
  llvm::SmallVector<llvm::Value*, 4> arguments;
  bool moved_are_opaque = true;
  bool has_unknown = false; ///< a float of which LLVM does not know the value
  for (const Operand& operand : operation.operands) {
    llvm::Value* value = builder.getInt64(0);
    bool is_opaque = true;
    if (operand.kind == Operand::Kind::kValue) {
      value = operand.value;
      // In operations of numbers a constant that is not special does no harm.
      is_opaque = callee != function.exact || !llvm::isa<llvm::Constant>(value);
    } else if (operand.kind == Operand::Kind::kRow && operand.bits == 64) {
      const auto pair = body.pairs.find(operand.row);
      if (pair != body.pairs.end()) {
        value = pair->second;
        is_opaque = body.opaque.contains(value);
      } else {
        llvm::Value* const low = row(operand.row);
        llvm::Value* const high = row(operand.row + 1);
        value = builder.CreateOr(wide(low), builder.CreateShl(wide(high), 32));
        is_opaque = body.opaque.contains(low) && body.opaque.contains(high);
      }
    } else if (operand.kind == Operand::Kind::kRow) {
      llvm::Value* const of_row = row(operand.row);
      value = wide(of_row);
      is_opaque = body.opaque.contains(of_row);
    }
    moved_are_opaque &=
        operand.kind == Operand::Kind::kNone || (operand.kind == Operand::Kind::kRow && is_opaque);
    const std::uint64_t sign = std::uint64_t{1} << (operand.bits - 1);
    if (operand.absolute) {
      value = builder.CreateAnd(value, ~sign);
    }
    const bool is_of_floats = function.has_floats && operand.is_float;
    has_unknown |=
        is_of_floats && operand.kind != Operand::Kind::kNone && !llvm::isa<llvm::Constant>(value);
    if (is_of_floats && !is_opaque) {
      value = made_opaque(value);
    }
    if (operand.negate) {
      value = builder.CreateXor(value,
                                is_alone && is_of_floats ? opaque(sign) : builder.getInt64(sign));
    } else if (is_alone && is_of_floats && operand.absolute) {
      value = made_opaque(value);
    }
    arguments.push_back(value);
  }
  llvm::Value* bit = builder.getFalse();
  if (operation.mask_of) {
    bit = body.bits[*operation.mask_of];
  } else if (operation.mask != nullptr) {
    llvm::Value* const part =
        builder.CreateTrunc(builder.CreateLShr(operation.mask, body.first), builder.getInt32Ty());
    bit = builder.CreateTrunc(builder.CreateLShr(part, body.within), builder.getInt1Ty());
  }
  arguments.push_back(bit);
  llvm::Value* const result = builder.CreateCall(callee, arguments);
  if (operation.written) {
    llvm::Value* made = builder.CreateExtractValue(result, 1);
    if (!made->getType()->isIntegerTy(1)) {
      made = builder.CreateTrunc(made, builder.getInt1Ty());
    }
    body.bits.push_back(made);
  } else {
    body.bits.push_back(nullptr);
  }
  if (operation.rows == 0) {
    return;
  }
  llvm::Value* value = builder.CreateExtractValue(result, 0);
  if (is_alone || (function.has_cases && function.has_floats)) {
    value = made_opaque(value);
  }
  const auto forget = [&](unsigned index) {
    body.pairs.erase(index);
    if (index > 0) {
      body.pairs.erase(index - 1);
    }
  };
  for (unsigned i = 0; i < operation.rows; ++i) {
    forget(operation.result + i);
  }
  const bool is_opaque = is_alone || has_unknown || (operation.moves && moved_are_opaque);
  const auto put = [&](unsigned index, llvm::Value* part) {
    body.rows[index] = builder.CreateTrunc(part, builder.getInt32Ty());
    if (is_opaque) {
      body.opaque.insert(body.rows[index]);
    }
  };
  put(operation.result, value);
  if (operation.rows == 2) {
    put(operation.result + 1, builder.CreateLShr(value, 32));
    body.pairs[operation.result] = value;
    if (is_opaque) {
      body.opaque.insert(value);
    }
  }
}

void LaneRun::emit_lanes(llvm::Value* first, bool is_numeric, llvm::BasicBlock* behind) {
  llvm::IRBuilder<>& builder = memory_.builder();
  llvm::LLVMContext& context = builder.getContext();
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const loop = llvm::BasicBlock::Create(context, is_numeric ? "numeric" : "exact",
                                                          behind->getParent(), behind);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* const number = builder.CreatePHI(builder.getInt64Ty(), 2);
  Body body(builder);
  body.within = builder.CreateTrunc(number, builder.getInt32Ty());
  body.lane = builder.CreateAdd(first, number, "", true, true);
  body.first = first;
  body.accesses = llvm::MDNode::getDistinct(context, {});
  body.is_numeric = is_numeric;
  for (unsigned i = 0; i < operations_.size(); ++i) {
    emit_operation(body, i);
  }
  const auto put = [&](std::size_t place, llvm::Value* value) {
    llvm::StoreInst* const store = builder.CreateAlignedStore(
        value,
        builder.CreateInBoundsGEP(builder.getInt32Ty(), memory_.temporary(place, kBlock), {number}),
        llvm::Align(4));
    store->setMetadata(llvm::LLVMContext::MD_access_group, body.accesses);
  };
  std::size_t place = 1;
  for (const unsigned row : stored_rows_) {
    put(place++, body.rows[row]);
  }
  for (const unsigned mask : stored_masks_) {
    put(place++, builder.CreateSExt(body.bits[mask], builder.getInt32Ty()));
  }
  if (is_numeric) {
    mark_numbers(
        builder,
        builder.CreateInBoundsGEP(builder.getInt32Ty(), memory_.temporary(0, kBlock), {number}),
        body.accesses);
  }
  end_lanes(builder, *number, before, behind, body.accesses);
}

void LaneRun::emit_again(llvm::Value* first, llvm::BasicBlock* behind) {
  llvm::IRBuilder<>& builder = memory_.builder();
  llvm::Type* const words = llvm::FixedVectorType::get(builder.getInt32Ty(), kBlock);
  llvm::Type* const values = llvm::FixedVectorType::get(builder.getInt64Ty(), kBlock);
  llvm::DenseMap<unsigned, llvm::Value*> rows;
  std::vector<llvm::Value*> bits;
  const auto row = [&](unsigned index) {
    llvm::Value*& known = rows[index];
    if (known == nullptr) {
      known = builder.CreateAlignedLoad(words, memory_.row(index, first), llvm::Align(32));
    }
    return builder.CreateZExt(known, values);
  };
  const auto everywhere = [&](std::uint64_t value) {
    return llvm::ConstantInt::get(values, value);
  };
  for (const Operation& operation : operations_) {
    llvm::SmallVector<llvm::Value*, 4> arguments;
    for (const Operand& operand : operation.operands) {
      llvm::Value* value = everywhere(0);
      if (operand.kind == Operand::Kind::kValue) {
        value = builder.CreateVectorSplat(kBlock, operand.value);
      } else if (operand.kind == Operand::Kind::kRow) {
        value = row(operand.row);
        if (operand.bits == 64) {
          value = builder.CreateOr(value, builder.CreateShl(row(operand.row + 1), 32));
        }
      }
      const std::uint64_t sign = std::uint64_t{1} << (operand.bits - 1);
      if (operand.absolute) {
        value = builder.CreateAnd(value, everywhere(~sign));
      }
      if (operand.negate) {
        value = builder.CreateXor(value, everywhere(sign));
      }
      arguments.push_back(value);
    }
    llvm::Type* const truths = llvm::FixedVectorType::get(builder.getInt1Ty(), kBlock);
    llvm::Value* mask = llvm::Constant::getNullValue(truths);
    if (operation.mask_of) {
      mask = bits[*operation.mask_of];
    } else if (operation.mask != nullptr) {
      mask = builder.CreateBitCast(
          builder.CreateTrunc(builder.CreateLShr(operation.mask, first), builder.getIntNTy(kBlock)),
          truths);
    }
    arguments.push_back(mask);
    llvm::Value* const made = builder.CreateCall(blocks_.of(*operation.function), arguments);
    bits.push_back(builder.CreateExtractValue(made, 1));
    llvm::Value* const value = builder.CreateExtractValue(made, 0);
    for (unsigned i = 0; i < operation.rows; ++i) {
      rows[operation.result + i] =
          builder.CreateTrunc(builder.CreateLShr(value, everywhere(std::uint64_t{32} * i)), words);
    }
  }
  std::size_t place = 1;
  for (const unsigned stored : stored_rows_) {
    builder.CreateAlignedStore(rows[stored], memory_.temporary(place++, kBlock), llvm::Align(32));
  }
  for (const unsigned stored : stored_masks_) {
    builder.CreateAlignedStore(builder.CreateSExt(bits[stored], words),
                               memory_.temporary(place++, kBlock), llvm::Align(32));
  }
  builder.CreateBr(behind);
}

void LaneRun::store_rows(llvm::Value* first, llvm::Value* active) {
  if (stored_rows_.empty()) {
    return;
  }
  llvm::IRBuilder<>& builder = memory_.builder();
  llvm::LLVMContext& context = builder.getContext();
  llvm::Function* const function = builder.GetInsertBlock()->getParent();
  llvm::Type* const vector = llvm::FixedVectorType::get(builder.getInt32Ty(), kBlock);
  llvm::SmallVector<llvm::Value*> values;
  for (std::size_t i = 0; i < stored_rows_.size(); ++i) {
    values.push_back(
        builder.CreateAlignedLoad(vector, memory_.temporary(1 + i, kBlock), llvm::Align(32)));
  }
  auto* const all = llvm::BasicBlock::Create(context, "all", function);
  auto* const some = llvm::BasicBlock::Create(context, "some", function);
  auto* const stored = llvm::BasicBlock::Create(context, "stored", function);
  builder.CreateCondBr(builder.CreateICmpEQ(active, builder.getInt64((1U << kBlock) - 1)), all,
                       some);
  builder.SetInsertPoint(all);
  for (std::size_t i = 0; i < stored_rows_.size(); ++i) {
    builder.CreateAlignedStore(values[i], memory_.row(stored_rows_[i], first), llvm::Align(32));
  }
  builder.CreateBr(stored);
  builder.SetInsertPoint(some);
  llvm::Value* const chosen =
      builder.CreateBitCast(builder.CreateTrunc(active, builder.getIntNTy(kBlock)),
                            llvm::FixedVectorType::get(builder.getInt1Ty(), kBlock));
  for (std::size_t i = 0; i < stored_rows_.size(); ++i) {
    llvm::Value* const place = memory_.row(stored_rows_[i], first);
    llvm::Value* const old = builder.CreateAlignedLoad(vector, place, llvm::Align(32));
    builder.CreateAlignedStore(builder.CreateSelect(chosen, values[i], old), place,
                               llvm::Align(32));
  }
  builder.CreateBr(stored);
  builder.SetInsertPoint(stored);
}

void LaneRun::emit(const Live& live) {
  if (operations_.empty()) {
    return;
  }
  llvm::IRBuilder<>& builder = memory_.builder();
  llvm::LLVMContext& context = builder.getContext();
  VectorSet written;
  bool is_numeric = false; ///< otherwise there is nothing to check
  stored_masks_.clear();
  for (unsigned i = 0; i < operations_.size(); ++i) {
    const Operation& operation = operations_[i];
    for (unsigned row = 0; row < operation.rows; ++row) {
      written.set(operation.result + row);
    }
    is_numeric |= operation.function->is_numeric();

    if (operation.written) {
      const bool is_last = std::ranges::none_of(
          operations_.begin() + i + 1, operations_.end(),
          [&](const Operation& other) { return other.written == operation.written; });
      const bool is_live = live.scalars.test(*operation.written) ||
                           (lanes_ > 32 && live.scalars.test(*operation.written + 1));
      if (is_last && is_live) {
        stored_masks_.push_back(i);
      }
    }
  }
  stored_rows_.clear();
  for (unsigned row = 0; row < vector::kCount; ++row) {
    if (written.test(row) && live.active.test(row)) {
      stored_rows_.push_back(row);
    }
  }
  if (stored_rows_.empty() && stored_masks_.empty()) {
    operations_.clear();
    return;
  }
  llvm::Function* const function = builder.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(context, name, function);
  };
  memory_.forget_temporaries();
  llvm::Value* const exec = memory_.load_mask(scalar::kExec, lanes_);
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const loop = block("lanes");
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* const first = builder.CreatePHI(builder.getInt64Ty(), 2);
  first->addIncoming(builder.getInt64(0), before);
  llvm::SmallVector<llvm::PHINode*> masks;
  for (std::size_t i = 0; i < stored_masks_.size(); ++i) {
    masks.push_back(builder.CreatePHI(builder.getInt64Ty(), 2));
    masks.back()->addIncoming(builder.getInt64(0), before);
  }
  llvm::Value* const active =
      builder.CreateAnd(builder.CreateLShr(exec, first), builder.getInt64((1U << kBlock) - 1));
  llvm::BasicBlock* const any = block("any");
  llvm::BasicBlock* const done = block("done");
  llvm::BasicBlock* const end = block("end");
  llvm::BasicBlock* const made = block("made");
  builder.CreateCondBr(builder.CreateICmpEQ(active, builder.getInt64(0)), end, any);
  builder.SetInsertPoint(any);
  llvm::Type* const vector = llvm::FixedVectorType::get(builder.getInt32Ty(), kBlock);
  /// A bit for each lane of a block that has something in the temporary.
  const auto bits_of_temporary = [&](std::size_t number) {
    llvm::Value* const values =
        builder.CreateAlignedLoad(vector, memory_.temporary(number, kBlock), llvm::Align(32));
    llvm::Value* const set = builder.CreateICmpSLT(values, llvm::Constant::getNullValue(vector));
    llvm::Value* const bits = builder.CreateZExt(
        builder.CreateBitCast(set, builder.getIntNTy(kBlock)), builder.getInt64Ty());
    return builder.CreateAnd(bits, active);
  };
  if (is_numeric) {
    llvm::BasicBlock* const checked = block("checked");
    llvm::BasicBlock* const again = block("again");
    emit_lanes(first, true, checked);
    builder.SetInsertPoint(checked);
    llvm::MDBuilder weights(context);
    builder.CreateCondBr(builder.CreateICmpEQ(bits_of_temporary(0), builder.getInt64(0)), made,
                         again, weights.createLikelyBranchWeights());
    builder.SetInsertPoint(again);
    emit_again(first, made);
  } else {
    emit_lanes(first, false, made);
  }
  builder.SetInsertPoint(made);
  llvm::SmallVector<llvm::Value*> made_masks;
  for (std::size_t i = 0; i < stored_masks_.size(); ++i) {
    llvm::Value* const bits = bits_of_temporary(1 + stored_rows_.size() + i);
    made_masks.push_back(builder.CreateOr(masks[i], builder.CreateShl(bits, first)));
  }
  store_rows(first, active);
  llvm::BasicBlock* const stored = builder.GetInsertBlock();
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  llvm::SmallVector<llvm::Value*> after;
  for (std::size_t i = 0; i < stored_masks_.size(); ++i) {
    llvm::PHINode* const value = builder.CreatePHI(builder.getInt64Ty(), 2);
    value->addIncoming(masks[i], loop);
    value->addIncoming(made_masks[i], stored);
    after.push_back(value);
    masks[i]->addIncoming(value, end);
  }
  llvm::Value* const next = builder.CreateAdd(first, builder.getInt64(kBlock), "", true, true);
  first->addIncoming(next, end);
  builder.CreateCondBr(builder.CreateICmpEQ(next, builder.getInt64(lanes_)), done, loop);
  builder.SetInsertPoint(done);
  for (std::size_t i = 0; i < stored_masks_.size(); ++i) {
    memory_.store_mask(*operations_[stored_masks_[i]].written, after[i], lanes_);
  }
  operations_.clear();
}

} // namespace gantry::simt::amdgcn::lower
