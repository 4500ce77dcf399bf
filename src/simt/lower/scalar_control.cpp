// Branches, calls, and what concerns the warp and the block (PTX ISA 9.0, 9.7.12, 9.7.13).
#include "simt/lower/scalar_function.h"

namespace gantry::simt::lower {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;

void ScalarFunction::branch_to(llvm::BasicBlock* block) {
  builder_.CreateBr(block);
}

bool ScalarFunction::lower_control(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  switch (instruction.opcode) {
  case Opcode::k_bra:
    branch_to(starts_[source_.labels[operands[0].index].instruction]);
    return true;
  case Opcode::k_brx: {
    // An index beyond the list is undefined; the last label takes it.
    const std::vector<std::uint32_t>& labels = source_.label_lists[operands[1].index];
    const auto block = [&](std::uint32_t label) {
      return starts_[source_.labels[label].instruction];
    };
    auto* choice = builder_.CreateSwitch(get_bits(operands[0], 32), block(labels.back()),
                                         static_cast<unsigned>(labels.size()));
    for (unsigned i = 0; i + 1 < labels.size(); ++i) {
      choice->addCase(number(i), block(labels[i]));
    }
    return true;
  }
  case Opcode::k_ret:
    branch_to(return_);
    return true;
  case Opcode::k_exit:
    operation(Operation::kExit, builder_.getVoidTy(), {});
    branch_to(return_);
    return true;
  case Opcode::k_trap:
    operation(Operation::kTrap, builder_.getVoidTy(),
              {number(static_cast<unsigned>(exec::Trap::kTrap)), site()});
    branch_to(return_);
    return true;
  case Opcode::k_brkpt:
  case Opcode::k_pmevent:
    return true; // no debugger, no counters
  case Opcode::k_call:
    lower_call(instruction);
    return true;
  default:
    return false;
  }
}

std::vector<llvm::Value*>
ScalarFunction::load_words(const std::vector<const ptx::Variable*>& variables,
                           const std::vector<Value*>& slots) {
  std::vector<Value*> words;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::vector<llvm::Type*> types = words_of(context_, {variables[i]});
    std::uint64_t offset = 0;
    for (llvm::Type* type : types) {
      // The last word of an array may be wider than what is left of it.
      const std::uint64_t left = variables[i]->size() - offset;
      const std::uint64_t width = type->getIntegerBitWidth() / 8;
      Value* word = nullptr;
      if (left >= width) {
        word = builder_.CreateAlignedLoad(
            type, builder_.CreateConstGEP1_64(bits(8), slots[i], offset), llvm::Align(1));
      } else {
        word = number(0, static_cast<unsigned>(width) * 8);
        for (std::uint64_t byte = 0; byte < left; ++byte) {
          Value* piece = builder_.CreateLoad(
              bits(8), builder_.CreateConstGEP1_64(bits(8), slots[i], offset + byte));
          word = builder_.CreateOr(word,
                                   builder_.CreateShl(builder_.CreateZExt(piece, type), byte * 8));
        }
      }
      words.push_back(word);
      offset += width;
    }
  }
  return words;
}

void ScalarFunction::store_words(const std::vector<const ptx::Variable*>& variables,
                                 const std::vector<Value*>& slots, llvm::ArrayRef<Value*> words) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    std::uint64_t offset = 0;
    for (llvm::Type* type : words_of(context_, {variables[i]})) {
      Value* word = words[next++];
      const std::uint64_t left = variables[i]->size() - offset;
      const std::uint64_t width = type->getIntegerBitWidth() / 8;
      if (left >= width) {
        builder_.CreateAlignedStore(word, builder_.CreateConstGEP1_64(bits(8), slots[i], offset),
                                    llvm::Align(1));
      } else {
        for (std::uint64_t byte = 0; byte < left; ++byte) {
          builder_.CreateStore(builder_.CreateTrunc(builder_.CreateLShr(word, byte * 8), bits(8)),
                               builder_.CreateConstGEP1_64(bits(8), slots[i], offset + byte));
        }
      }
      offset += width;
    }
  }
}

// A call passes words. What the caller gives (variables of .param space, or registers and
// constants) is laid out as the callee's interface says.
void ScalarFunction::lower_call(const ptx::Instruction& instruction) {
  const Operand& results = instruction.operands[0];
  const Operand& target = instruction.operands[1];
  const Operand& arguments = instruction.operands[2];
  std::optional<std::uint32_t> callee;
  if (target.kind == Operand::Kind::kSymbol) {
    callee = program_.symbols[module_index_][target.index].index;
  }
  std::vector<const ptx::Variable*> parameter_types;
  std::vector<const ptx::Variable*> result_types;
  bool noreturn = false;
  if (callee && !program_.functions[*callee].system_call) {
    const ptx::Function& function = program_.definition(*callee);
    for (const std::uint32_t index : function.parameters) {
      parameter_types.push_back(&function.variables[index]);
    }
    for (const std::uint32_t index : function.results) {
      result_types.push_back(&function.variables[index]);
    }
    noreturn = function.noreturn;
  } else if (instruction.operands[3].kind == Operand::Kind::kPrototype) {
    const ptx::Prototype& prototype = source_.prototypes[instruction.operands[3].index];
    for (const ptx::Variable& variable : prototype.parameters) {
      parameter_types.push_back(&variable);
    }
    for (const ptx::Variable& variable : prototype.results) {
      result_types.push_back(&variable);
    }
    noreturn = prototype.noreturn;
  } else {
    // System calls: what the caller's own declarations say.
    const auto declared = [&](const Operand& list, std::vector<const ptx::Variable*>& types) {
      for (const Operand& operand : list.members) {
        if (operand.kind == Operand::Kind::kVariable) {
          types.push_back(&source_.variables[operand.index]);
        }
      }
    };
    declared(arguments, parameter_types);
    declared(results, result_types);
  }
  std::vector<Value*> words;
  for (std::size_t i = 0; i < arguments.members.size() && i < parameter_types.size(); ++i) {
    const Operand& argument = arguments.members[i];
    if (argument.kind == Operand::Kind::kVariable && variables_[argument.index] != nullptr) {
      const std::vector<Value*> more =
          load_words({parameter_types[i]}, {variables_[argument.index]});
      words.insert(words.end(), more.begin(), more.end());
    } else {
      words.push_back(get_bits(argument, static_cast<unsigned>(parameter_types[i]->size()) * 8));
    }
  }
  if (callee && program_.functions[*callee].system_call) {
    std::vector<Value*> operands = {
        number(static_cast<unsigned>(*program_.functions[*callee].system_call))};
    for (Value* word : words) {
      operands.push_back(builder_.CreateZExt(word, bits(64)));
    }
    operands.push_back(site());
    Value* result = operation(Operation::kSystemCall, bits(64), operands);
    if (!results.members.empty() && !result_types.empty()) {
      Value* word = builder_.CreateTrunc(result, words_of(context_, {result_types[0]})[0]);
      store_words({result_types[0]}, {variables_[results.members[0].index]}, {word});
    }
    return;
  }
  const std::vector<llvm::Type*> result_words = words_of(context_, result_types);
  llvm::Type* type = result_words.empty()
                         ? builder_.getVoidTy()
                         : static_cast<llvm::Type*>(llvm::StructType::get(context_, result_words));
  std::vector<Value*> operands = {
      callee ? static_cast<Value*>(number(*callee)) : get_bits(target, 64), site()};
  operands.insert(operands.end(), words.begin(), words.end());
  Value* call =
      operation(callee ? Operation::kDirectCall : Operation::kIndirectCall, type, operands);
  if (noreturn) {
    operation(Operation::kTrap, builder_.getVoidTy(),
              {number(static_cast<unsigned>(exec::Trap::kFellOff)), site()});
    branch_to(return_);
    return;
  }
  std::size_t word = 0;
  for (std::size_t i = 0; i < results.members.size() && i < result_types.size(); ++i) {
    const Operand& result = results.members[i];
    const std::size_t count = words_of(context_, {result_types[i]}).size();
    std::vector<Value*> values;
    for (std::size_t k = 0; k < count; ++k) {
      values.push_back(builder_.CreateExtractValue(call, static_cast<unsigned>(word + k)));
    }
    word += count;
    if (result.kind == Operand::Kind::kVariable && variables_[result.index] != nullptr) {
      store_words({result_types[i]}, {variables_[result.index]}, values);
    } else {
      set_bits(result, values[0]);
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
    set_bits(operands[0], operation(Operation::kActiveMask, bits(32), {}));
    return true;
  case Opcode::k_match: {
    // match.all: all lanes of the mask have the value of this one.
    const Operand& to = operands[0];
    Value* mask = get_bits(operands[2], 32);
    Value* value = builder_.CreateZExt(get(operands[1], instruction.type()), bits(64));
    Value* equal = operation(Operation::kMatchAny, bits(32), {value, mask, site()});
    if (instruction.has(Modifier::kAny)) {
      set_bits(to, equal);
      return true;
    }
    Value* all = builder_.CreateICmpEQ(equal, mask);
    Value* result = builder_.CreateSelect(all, mask, number(0));
    if (to.kind == Operand::Kind::kPair) {
      set_bits(to.members[0], result);
      set_bits(to.members[1], all);
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
    set_bits(operands[0], operation(Operation::kRedux, bits(32),
                                    {number(static_cast<unsigned>(kind)), get_bits(operands[1], 32),
                                     get_bits(operands[2], 32), site()}));
    return true;
  }
  case Opcode::k_elect: {
    // The lowest lane of the mask that is here.
    Value* mask = get_bits(operands[1], 32);
    Value* here = operation(Operation::kVoteBallot, bits(32), {number(1, 1), mask, site()});
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
    operation(Operation::kNanosleep, builder_.getVoidTy(), {get_bits(operands[0], 32), site()});
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
                                    : operation(Operation::kActiveMask, bits(32), {});
  Value* result = operation(Operation::kShuffle, bits(32), {how, value, b, c, mask, site()});
  const Operand& to = operands[0];
  if (to.kind == Operand::Kind::kPair) {
    set_bits(to.members[0], result);
    set_bits(to.members[1], operation(Operation::kShuffleValid, bits(1), {how, b, c}));
  } else {
    set_bits(to, result);
  }
}

void ScalarFunction::lower_vote(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  Value* predicate = get_predicate(operands[1]);
  Value* mask = operands.size() > 2 ? get_bits(operands[2], 32)
                                    : operation(Operation::kActiveMask, bits(32), {});
  Value* true_lanes = operation(Operation::kVoteBallot, bits(32), {predicate, mask, site()});
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
  Value* false_lanes =
      operation(Operation::kVoteBallot, bits(32), {builder_.CreateNot(predicate), mask, site()});
  Value* all = builder_.CreateIsNull(false_lanes);
  set_bits(operands[0], instruction.has(Modifier::kUni)
                            ? builder_.CreateOr(all, builder_.CreateIsNull(true_lanes))
                            : all);
}

void ScalarFunction::lower_barrier(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  if (instruction.has(Modifier::kWarp)) {
    operation(Operation::kWarpBarrier, builder_.getVoidTy(), {get_bits(operands[0], 32), site()});
    return;
  }
  if (instruction.has(Modifier::kArrive)) {
    operation(Operation::kBarrierArrive, builder_.getVoidTy(),
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
        operation(Operation::kBarrier, bits(32),
                  {get_bits(operands[1], 32), counted ? get_bits(operands[2], 32) : number(0),
                   number(how), get_predicate(operands.back()), site()});
    set_bits(operands[0], how == 1 ? result : builder_.CreateIsNotNull(result));
    return;
  }
  // `barrier.sync` without operands does not exist; `bar.sync a{, b}`.
  operation(Operation::kBarrier, bits(32),
            {operands.empty() ? number(0) : get_bits(operands[0], 32),
             operands.size() > 1 ? get_bits(operands[1], 32) : number(0), number(0), number(1, 1),
             site()});
}

} // namespace gantry::simt::lower
