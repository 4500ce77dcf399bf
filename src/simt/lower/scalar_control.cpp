// Branches, calls, and what concerns the warp and the block (PTX ISA 9.0, 9.7.12, 9.7.13).
#include "simt/lower/scalar_function.h"

namespace gantry::simt::lower {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;

void ScalarFunction::branch_to(llvm::BasicBlock* block) {
  builder_.CreateBr(block);
}

void ScalarFunction::trap(exec::Trap reason) {
  operation(LaneOperation::kTrap, builder_.getVoidTy(),
            {number(static_cast<unsigned>(reason)), site()});
  branch_to(return_);
}

bool ScalarFunction::lower_control(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  switch (instruction.opcode) {
  case Opcode::k_bra:
    branch_to(starts_[source_.labels[operands[0].index].instruction]);
    return true;
  case Opcode::k_brx: {
    const std::vector<std::uint32_t>& labels = source_.label_lists[operands[1].index];
    const auto block = [&](std::uint32_t label) {
      return starts_[source_.labels[label].instruction];
    };
    auto* beyond = llvm::BasicBlock::Create(context_, "", function_, starts_[current_ + 1]);
    auto* choice = builder_.CreateSwitch(get_bits(operands[0], 32), beyond,
                                         static_cast<unsigned>(labels.size()));
    for (unsigned i = 0; i < labels.size(); ++i) {
      choice->addCase(number(i), block(labels[i]));
    }
    builder_.SetInsertPoint(beyond);
    trap(exec::Trap::kBranchIndex);
    return true;
  }
  case Opcode::k_ret:
    branch_to(return_);
    return true;
  case Opcode::k_exit:
    operation(LaneOperation::kExit, builder_.getVoidTy(), {});
    branch_to(return_);
    return true;
  case Opcode::k_trap:
    trap(exec::Trap::kTrap);
    return true;
  // No debugger, no counters; and a grid begins when those before it have ended.
  case Opcode::k_brkpt:
  case Opcode::k_pmevent:
  case Opcode::k_griddepcontrol:
    return true;
  case Opcode::k_call:
    lower_call(instruction);
    return true;
  default:
    return false;
  }
}

std::vector<llvm::Value*> ScalarFunction::load_words(const ptx::PassedValue& value,
                                                     std::uint32_t variable) {
  Value* slot = variables_[variable];
  const std::uint64_t size = std::min(value.size, source_.variables[variable].size());
  const std::uint64_t width = value.word_bytes();
  auto* type = bits(static_cast<unsigned>(width) * 8);
  const auto at = [&](std::uint64_t offset) {
    return builder_.CreateConstGEP1_64(bits(8), slot, offset);
  };
  std::vector<Value*> words;
  for (std::uint64_t i = 0; i < value.words(); ++i) {
    const std::uint64_t offset = i * width;
    if (offset + width <= size) {
      words.push_back(builder_.CreateAlignedLoad(type, at(offset), llvm::Align(1)));
      continue;
    }
    // The bytes that are there; those beyond them are zero.
    Value* word = llvm::ConstantInt::get(type, 0);
    for (std::uint64_t byte = 0; offset + byte < size; ++byte) {
      Value* piece = builder_.CreateLoad(bits(8), at(offset + byte));
      word =
          builder_.CreateOr(word, builder_.CreateShl(builder_.CreateZExt(piece, type), byte * 8));
    }
    words.push_back(word);
  }
  return words;
}

void ScalarFunction::store_words(const ptx::PassedValue& value, std::uint32_t variable,
                                 llvm::ArrayRef<Value*> words) {
  Value* slot = variables_[variable];
  const std::uint64_t size = source_.variables[variable].size();
  const std::uint64_t width = value.word_bytes();
  const auto at = [&](std::uint64_t offset) {
    return builder_.CreateConstGEP1_64(bits(8), slot, offset);
  };
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    const std::uint64_t offset = i * width;
    if (offset + width <= size) {
      builder_.CreateAlignedStore(words[i], at(offset), llvm::Align(1));
      continue;
    }
    for (std::uint64_t byte = 0; byte < width && offset + byte < size; ++byte) {
      builder_.CreateStore(builder_.CreateTrunc(builder_.CreateLShr(words[i], byte * 8), bits(8)),
                           at(offset + byte));
    }
  }
  for (std::uint64_t offset = words.size() * width; offset < size; ++offset) {
    builder_.CreateStore(builder_.getInt8(0), at(offset));
  }
}

std::vector<llvm::Value*> ScalarFunction::argument_words(const ptx::PassedValue& value,
                                                         const Operand& operand) {
  if (operand.kind == Operand::Kind::kVariable && variables_[operand.index] != nullptr) {
    return load_words(value, operand.index);
  }
  const auto width = static_cast<unsigned>(value.word_bytes()) * 8;
  std::vector<Value*> words(value.words(), number(0, width));
  if (!words.empty()) {
    words[0] = get_bits(operand, width);
  }
  return words;
}

// A call passes words. What the caller gives (variables of .param space, or registers and
// constants) is laid out as the callee's interface says.
void ScalarFunction::lower_call(const ptx::Instruction& instruction) {
  const std::vector<Operand>& results = instruction.operands[0].members;
  const Operand& target = instruction.operands[1];
  const std::vector<Operand>& arguments = instruction.operands[2].members;
  std::optional<std::uint32_t> callee;
  std::optional<ptx::SystemCall> system;
  if (target.kind == Operand::Kind::kSymbol) {
    callee = program_.symbols[module_index_][target.index].index;
    system = program_.functions[*callee].system_call;
  }
  const ptx::CallInterface interface = ptx::interface_of_call(program_, index_, instruction);
  std::vector<Value*> words;
  for (std::size_t i = 0; i < interface.parameters.size(); ++i) {
    const std::vector<Value*> more =
        argument_words(interface.parameters[i], i < arguments.size() ? arguments[i] : Operand{});
    words.insert(words.end(), more.begin(), more.end());
  }
  std::vector<Value*> result_words;
  if (system) {
    std::vector<Value*> operands = {number(static_cast<unsigned>(*system))};
    for (Value* word : words) {
      operands.push_back(builder_.CreateZExt(word, bits(64)));
    }
    operands.push_back(site());
    Value* result = operation(LaneOperation::kSystemCall, bits(64), operands);
    for (llvm::Type* type : words_of(context_, interface.results)) {
      result_words.push_back(builder_.CreateTrunc(result, type)); // there is one at most
    }
  } else {
    const std::vector<llvm::Type*> types = words_of(context_, interface.results);
    llvm::Type* type = types.empty()
                           ? builder_.getVoidTy()
                           : static_cast<llvm::Type*>(llvm::StructType::get(context_, types));
    std::vector<Value*> operands = {callee ? static_cast<Value*>(number(*callee))
                                           : get_bits(target, 64),
                                    site(), number(interface.signature(), 64)};
    operands.insert(operands.end(), words.begin(), words.end());
    Value* call = operation(callee ? LaneOperation::kDirectCall : LaneOperation::kIndirectCall,
                            type, operands);
    for (unsigned i = 0; i < types.size(); ++i) {
      result_words.push_back(builder_.CreateExtractValue(call, i));
    }
  }
  if (interface.noreturn) {
    trap(exec::Trap::kFellOff);
    return;
  }
  llvm::ArrayRef<Value*> left(result_words);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Operand& result = results[i];
    const ptx::PassedValue value =
        i < interface.results.size() ? interface.results[i] : ptx::PassedValue{0, false};
    const llvm::ArrayRef<Value*> own = left.take_front(value.words());
    left = left.drop_front(value.words());
    if (result.kind == Operand::Kind::kVariable && variables_[result.index] != nullptr) {
      store_words(value, result.index, own);
    } else {
      set_bits(result, own.empty() ? number(0, 64) : own[0]);
    }
  }
}

bool ScalarFunction::lower_warp(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  switch (instruction.opcode) {
  case Opcode::k_shfl:
    lower_shuffle(instruction);
    return true;
  case Opcode::k_vote:
    lower_vote(instruction);
    return true;
  case Opcode::k_activemask:
    set_bits(operands[0], operation(LaneOperation::kActiveMask, bits(32), {}));
    return true;
  case Opcode::k_match: {
    const Operand& to = operands[0];
    Value* mask = get_bits(operands[2], 32);
    Value* value = builder_.CreateZExt(get(operands[1], instruction.type()), bits(64));
    Value* result = operation(instruction.has(Modifier::kAny) ? LaneOperation::kMatchAny
                                                              : LaneOperation::kMatchAll,
                              bits(32), {value, mask, site()});
    if (to.kind == Operand::Kind::kPair) {
      set_bits(to.members[0], result);
      // The lane itself is one of them, if all have its value.
      set_bits(to.members[1], builder_.CreateICmpNE(result, number(0)));
    } else {
      set_bits(to, result);
    }
    return true;
  }
  case Opcode::k_redux: {
    const bool is_signed = ptx::is_signed(instruction.type());
    const ReduxKind kind =
        instruction.has(Modifier::kAdd)   ? ReduxKind::kAdd
        : instruction.has(Modifier::kMin) ? (is_signed ? ReduxKind::kMinS : ReduxKind::kMinU)
        : instruction.has(Modifier::kMax) ? (is_signed ? ReduxKind::kMaxS : ReduxKind::kMaxU)
        : instruction.has(Modifier::kAnd) ? ReduxKind::kAnd
        : instruction.has(Modifier::kOr)  ? ReduxKind::kOr
                                          : ReduxKind::kXor;
    set_bits(operands[0], operation(LaneOperation::kRedux, bits(32),
                                    {number(static_cast<unsigned>(kind)), get_bits(operands[1], 32),
                                     get_bits(operands[2], 32), site()}));
    return true;
  }
  case Opcode::k_elect: {
    // The lowest lane of the mask that is here.
    Value* mask = get_bits(operands[1], 32);
    Value* here = operation(LaneOperation::kVoteBallot, bits(32), {number(1, 1), mask, site()});
    Value* lowest = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, here, number(0, 1));
    Operand lane;
    lane.kind = Operand::Kind::kSpecial;
    lane.special = ptx::SpecialRegister::kLaneid;
    Value* elected = builder_.CreateICmpEQ(get_bits(lane, 32), lowest);
    if (operands[0].kind == Operand::Kind::kPair) {
      set_bits(operands[0].members[0], lowest);
      set_bits(operands[0].members[1], elected);
    }
    return true;
  }
  case Opcode::k_bar:
  case Opcode::k_barrier:
    lower_barrier(instruction);
    return true;
  case Opcode::k_nanosleep:
    operation(LaneOperation::kNanosleep, builder_.getVoidTy(), {get_bits(operands[0], 32), site()});
    return true;
  default:
    return false;
  }
}

void ScalarFunction::lower_shuffle(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  const ShuffleMode mode = instruction.has(Modifier::kUp)     ? ShuffleMode::kUp
                           : instruction.has(Modifier::kDown) ? ShuffleMode::kDown
                           : instruction.has(Modifier::kBfly) ? ShuffleMode::kButterfly
                                                              : ShuffleMode::kIndex;
  Value* how = number(static_cast<unsigned>(mode));
  Value* value = get_bits(operands[1], 32);
  Value* b = get_bits(operands[2], 32);
  Value* c = get_bits(operands[3], 32);
  // Without .sync it is for the lanes that happen to be here.
  Value* mask = operands.size() > 4 ? get_bits(operands[4], 32)
                                    : operation(LaneOperation::kActiveMask, bits(32), {});
  Value* result = operation(LaneOperation::kShuffle, bits(32), {how, value, b, c, mask, site()});
  const Operand& to = operands[0];
  if (to.kind == Operand::Kind::kPair) {
    set_bits(to.members[0], result);
    set_bits(to.members[1], operation(LaneOperation::kShuffleValid, bits(1), {how, b, c}));
  } else {
    set_bits(to, result);
  }
}

void ScalarFunction::lower_vote(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  Value* predicate = get_predicate(operands[1]);
  Value* mask = operands.size() > 2 ? get_bits(operands[2], 32)
                                    : operation(LaneOperation::kActiveMask, bits(32), {});
  Value* true_lanes = operation(LaneOperation::kVoteBallot, bits(32), {predicate, mask, site()});
  if (instruction.has(Modifier::kBallot)) {
    set_bits(operands[0], true_lanes);
    return;
  }
  if (instruction.has(Modifier::kAny)) {
    set_bits(operands[0], builder_.CreateIsNotNull(true_lanes));
    return;
  }
  // Over the lanes of the mask that have not exited: those for which the complement is true are the
  // ones against it.
  Value* false_lanes = operation(LaneOperation::kVoteBallot, bits(32),
                                 {builder_.CreateNot(predicate), mask, site()});
  Value* all = builder_.CreateIsNull(false_lanes);
  set_bits(operands[0], instruction.has(Modifier::kUni)
                            ? builder_.CreateOr(all, builder_.CreateIsNull(true_lanes))
                            : all);
}

/// bar.sync, bar.red, bar.arrive and bar.warp.sync, and the same of barrier.
void ScalarFunction::lower_barrier(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  if (instruction.has(Modifier::kWarp)) {
    operation(LaneOperation::kWarpBarrier, builder_.getVoidTy(),
              {get_bits(operands[0], 32), site()});
    return;
  }
  if (instruction.has(Modifier::kArrive)) {
    operation(LaneOperation::kBarrierArrive, builder_.getVoidTy(),
              {get_bits(operands[0], 32), get_bits(operands[1], 32), site()});
    return;
  }
  if (instruction.has(Modifier::kRed)) {
    // d, a{, b}, {!}c
    const bool counted = operands.size() > 3;
    const unsigned how = instruction.has(Modifier::kPopc)  ? 1
                         : instruction.has(Modifier::kAnd) ? 2
                                                           : 3;
    Value* result =
        operation(LaneOperation::kBarrier, bits(32),
                  {get_bits(operands[1], 32), counted ? get_bits(operands[2], 32) : number(0),
                   number(how), get_predicate(operands.back()), site()});
    set_bits(operands[0], how == 1 ? result : builder_.CreateIsNotNull(result));
    return;
  }
  // `barrier.sync` without operands does not exist; `bar.sync a{, b}`.
  operation(LaneOperation::kBarrier, bits(32),
            {operands.empty() ? number(0) : get_bits(operands[0], 32),
             operands.size() > 1 ? get_bits(operands[1], 32) : number(0), number(0), number(1, 1),
             site()});
}

} // namespace gantry::simt::lower
