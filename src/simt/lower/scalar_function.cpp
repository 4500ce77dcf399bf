#include "simt/lower/scalar_function.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DIBuilder.h>

namespace gantry::simt::lower {

namespace {

using ptx::Operand;
using ptx::Type;

bool ends_block(ptx::Opcode opcode) {
  switch (opcode) {
  case ptx::Opcode::k_bra:
  case ptx::Opcode::k_brx:
  case ptx::Opcode::k_ret:
  case ptx::Opcode::k_exit:
  case ptx::Opcode::k_trap:
  case ptx::Opcode::k_ldmatrix: // have blocks of their own, in front of the next one
  case ptx::Opcode::k_stmatrix:
    return true;
  default:
    return false;
  }
}

} // namespace

std::vector<llvm::Type*> words_of(llvm::LLVMContext& context,
                                  llvm::ArrayRef<ptx::PassedValue> values) {
  std::vector<llvm::Type*> words;
  for (const ptx::PassedValue& value : values) {
    words.insert(words.end(), value.words(),
                 llvm::IntegerType::get(context, static_cast<unsigned>(value.word_bytes()) * 8));
  }
  return words;
}

ScalarFunction::ScalarFunction(const ptx::Program& program, std::uint32_t function,
                               const TargetFacts& target, llvm::Module& module)
    : program_(program), index_(function), source_(program.definition(function)),
      module_index_(program.functions[function].module), target_(target), module_(module),
      context_(module.getContext()), builder_(context_) {}

llvm::Function* ScalarFunction::build() {
  declare();
  make_variables();
  make_blocks();
  lower_all();
  return function_;
}

void ScalarFunction::declare() {
  const ptx::CallInterface interface =
      source_.is_entry ? ptx::CallInterface{} : ptx::interface_of(source_);
  const std::vector<llvm::Type*> result_words = words_of(context_, interface.results);
  llvm::Type* result =
      result_words.empty()
          ? llvm::Type::getVoidTy(context_)
          : static_cast<llvm::Type*>(llvm::StructType::get(context_, result_words));
  function_ = llvm::Function::Create(
      llvm::FunctionType::get(result, words_of(context_, interface.parameters), false),
      llvm::Function::ExternalLinkage, "scalar", module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::DIBuilder debug(module_);
  llvm::DIFile* file = debug.createFile("kernel.ptx", ".");
  debug.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "", true, "", 0, "",
                          llvm::DICompileUnit::NoDebug);
  places_ = debug.createFunction(file, "scalar", "", file, 1,
                                 debug.createSubroutineType(debug.getOrCreateTypeArray({})), 1,
                                 llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  debug.finalize();
  function_->setSubprogram(places_);
}

std::optional<AccessOrigin> AccessOrigin::of(const llvm::Instruction& access) {
  const llvm::DILocation* place = access.getDebugLoc();
  if (place == nullptr || place->getLine() == 0) {
    return std::nullopt;
  }
  return AccessOrigin{place->getLine() - 1, 1U << (place->getColumn() >> 8),
                      place->getColumn() & 0xFF};
}

void ScalarFunction::set_origin(unsigned vector_size, unsigned offset) {
  const AccessOrigin origin{current_, vector_size, offset};
  builder_.SetCurrentDebugLocation(
      llvm::DILocation::get(context_, current_ + 1, origin.column(), places_));
}

llvm::Type* ScalarFunction::register_type(Type type) {
  return type == Type::kPred ? bits(1) : bits(width_of(type));
}

llvm::Type* ScalarFunction::value_type(Type type) {
  switch (type) {
  case Type::kPred:
    return bits(1);
  case Type::kF16:
    return llvm::Type::getHalfTy(context_);
  case Type::kF32:
    return llvm::Type::getFloatTy(context_);
  case Type::kF64:
    return llvm::Type::getDoubleTy(context_);
  default:
    return bits(width_of(type));
  }
}

void ScalarFunction::make_variables() {
  auto* entry = llvm::BasicBlock::Create(context_, "entry", function_);
  builder_.SetInsertPoint(entry);
  // Every register begins as zero, so that what a program reads without having written is defined.
  registers_.resize(source_.registers.size());
  vector_registers_.resize(source_.registers.size());
  for (std::size_t i = 0; i < source_.registers.size(); ++i) {
    llvm::Type* type = register_type(source_.registers[i].type);
    for (unsigned element = 0; element < source_.registers[i].vector; ++element) {
      llvm::AllocaInst* slot = builder_.CreateAlloca(type);
      builder_.CreateStore(llvm::Constant::getNullValue(type), slot);
      vector_registers_[i].push_back(slot);
    }
    registers_[i] = vector_registers_[i][0];
  }
  carry_ = builder_.CreateAlloca(bits(1));
  builder_.CreateStore(number(0, 1), carry_);
  variables_.resize(source_.variables.size());
  if (source_.is_entry && !source_.parameters.empty()) {
    const ptx::ParameterLayout layout = ptx::layout_of_parameters(source_);
    Value* buffer =
        operation(LaneOperation::kParameters, llvm::PointerType::get(context_, kTrusted), {});
    for (std::size_t i = 0; i < layout.offsets.size(); ++i) {
      variables_[source_.parameters[i]] =
          builder_.CreateConstGEP1_64(bits(8), buffer, layout.offsets[i]);
    }
  }
  for (std::size_t i = 0; i < source_.variables.size(); ++i) {
    const ptx::Variable& variable = source_.variables[i];
    const bool is_param = variable.space == ptx::Space::kParam && variables_[i] == nullptr;
    if (variable.space == ptx::Space::kLocal || is_param) {
      // The address of a parameter, if it is taken, is one of local memory (PTX ISA 9.0, 5.1.6.2).
      auto* slot = builder_.CreateAlloca(
          llvm::ArrayType::get(bits(8), std::max<std::uint64_t>(variable.size(), 1)), kLocal);
      slot->setAlignment(llvm::Align(std::max(variable.alignment, is_param ? 8U : 1U)));
      variables_[i] = slot;
    } else if (variable.space == ptx::Space::kRegister && variable.register_index) {
      variables_[i] = registers_[*variable.register_index];
    }
  }
  if (source_.is_entry) {
    return;
  }
  std::vector<Value*> words;
  for (llvm::Argument& argument : function_->args()) {
    words.push_back(&argument);
  }
  llvm::ArrayRef<Value*> left(words);
  for (const std::uint32_t index : source_.parameters) {
    const ptx::PassedValue value = ptx::passed_as(source_.variables[index]);
    store_words(value, index, left.take_front(value.words()));
    left = left.drop_front(value.words());
  }
}

void ScalarFunction::make_blocks() {
  std::vector<bool> begins(source_.instructions.size() + 1);
  begins.front() = begins.back() = true;
  // Only labels that something jumps to: debug information puts one beside most instructions.
  const auto target = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::kLabel) {
      begins[source_.labels[operand.index].instruction] = true;
    } else if (operand.kind == Operand::Kind::kLabelList) {
      for (const std::uint32_t label : source_.label_lists[operand.index]) {
        begins[source_.labels[label].instruction] = true;
      }
    }
  };
  for (std::uint32_t i = 0; i < source_.instructions.size(); ++i) {
    const ptx::Instruction& instruction = source_.instructions[i];
    for (const Operand& operand : instruction.operands) {
      target(operand);
    }
    if (ends_block(instruction.opcode) || instruction.guard) {
      begins[i + 1] = true;
    }
  }
  // In the order of the program: the evaluator lets the lanes at the lowest position go first.
  for (const bool is_start : begins) {
    starts_.push_back(is_start ? llvm::BasicBlock::Create(context_, "", function_) : nullptr);
  }
  return_ = llvm::BasicBlock::Create(context_, "return", function_);
  builder_.CreateBr(starts_[0]);
}

void ScalarFunction::lower_all() {
  for (std::uint32_t i = 0; i < source_.instructions.size(); ++i) {
    if (starts_[i] != nullptr) {
      if (builder_.GetInsertBlock()->getTerminator() == nullptr) {
        builder_.CreateBr(starts_[i]);
      }
      builder_.SetInsertPoint(starts_[i]);
    }
    current_ = i;
    set_origin();
    lower_guarded(source_.instructions[i], i);
  }
  llvm::BasicBlock* end = starts_.back();
  if (builder_.GetInsertBlock()->getTerminator() == nullptr) {
    builder_.CreateBr(end);
  }
  builder_.SetInsertPoint(end);
  builder_.CreateBr(return_);
  builder_.SetInsertPoint(return_);
  if (source_.is_entry || source_.results.empty()) {
    builder_.CreateRetVoid();
    return;
  }
  Value* result = llvm::PoisonValue::get(function_->getReturnType());
  unsigned next = 0;
  for (const std::uint32_t index : source_.results) {
    for (Value* word : load_words(ptx::passed_as(source_.variables[index]), index)) {
      result = builder_.CreateInsertValue(result, word, next++);
    }
  }
  builder_.CreateRet(result);
}

void ScalarFunction::lower_guarded(const ptx::Instruction& instruction, std::uint32_t index) {
  if (!instruction.guard) {
    lower(instruction);
    return;
  }
  Value* condition = builder_.CreateLoad(bits(1), registers_[instruction.guard->register_index]);
  if (instruction.guard->negated) {
    condition = builder_.CreateNot(condition);
  }
  llvm::BasicBlock* next = starts_[index + 1];
  if (instruction.opcode == ptx::Opcode::k_bra) {
    builder_.CreateCondBr(condition,
                          starts_[source_.labels[instruction.operands[0].index].instruction], next);
    return;
  }
  auto* guarded = llvm::BasicBlock::Create(context_, "", function_, next);
  builder_.CreateCondBr(condition, guarded, next);
  builder_.SetInsertPoint(guarded);
  lower(instruction);
  if (builder_.GetInsertBlock()->getTerminator() == nullptr) {
    builder_.CreateBr(next);
  }
}

void ScalarFunction::lower(const ptx::Instruction& instruction) {
  // The verifier has rejected what nobody here knows; if it is reached all the same, it traps.
  if (!lower_integer(instruction) && !lower_float(instruction) && !lower_async(instruction) &&
      !lower_memory(instruction) && !lower_control(instruction) && !lower_warp(instruction) &&
      !lower_matrix(instruction)) {
    trap(exec::Trap::kNotSupported);
  }
}

llvm::ConstantInt* ScalarFunction::number(std::uint64_t value, unsigned width) {
  return llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(
      bits(width), llvm::APInt(width, value, /*isSigned=*/false, /*implicitTrunc=*/true)));
}

llvm::Value* ScalarFunction::site() {
  return number(exec::site_of(index_, current_), 64);
}

llvm::Value* ScalarFunction::slot_of(const Operand& operand) {
  const std::vector<Value*>& elements = vector_registers_[operand.index];
  return operand.element == Operand::kWhole ? elements[0] : elements[operand.element];
}

llvm::Value* ScalarFunction::as_bits(Value* value) {
  llvm::Type* type = value->getType();
  return type->isFloatingPointTy()
             ? builder_.CreateBitCast(value,
                                      bits(static_cast<unsigned>(type->getPrimitiveSizeInBits())))
             : value;
}

llvm::Value* ScalarFunction::get_bits(const Operand& operand, unsigned width) {
  Value* value = nullptr;
  switch (operand.kind) {
  case Operand::Kind::kRegister: {
    Value* slot = slot_of(operand);
    value = builder_.CreateLoad(llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType(), slot);
    break;
  }
  case Operand::Kind::kInteger:
  case Operand::Kind::kFloat32:
    return number(static_cast<std::uint64_t>(operand.value), width);
  case Operand::Kind::kFloat64:
    if (width == 32) {
      double wide = 0;
      std::memcpy(&wide, &operand.value, sizeof wide);
      const auto narrow = static_cast<float>(wide);
      std::uint32_t word = 0;
      std::memcpy(&word, &narrow, sizeof word);
      return number(word, 32);
    }
    return number(static_cast<std::uint64_t>(operand.value), width);
  case Operand::Kind::kSpecial:
    value = special(operand);
    break;
  case Operand::Kind::kVariable:
  case Operand::Kind::kSymbol:
    value = address_of(operand);
    break;
  case Operand::Kind::kVector: // {r} with one member stands for it
    return get_bits(operand.members.at(0), width);
  default:
    return number(0, width);
  }
  if (operand.minus) {
    value = builder_.CreateNeg(value);
  }
  return builder_.CreateZExtOrTrunc(value, bits(width));
}

llvm::Value* ScalarFunction::get(const Operand& operand, Type type) {
  if (type == Type::kPred) {
    return get_predicate(operand);
  }
  Value* value = get_bits(operand, width_of(type));
  llvm::Type* wanted = value_type(type);
  return wanted->isFloatingPointTy() ? builder_.CreateBitCast(value, wanted) : value;
}

llvm::Value* ScalarFunction::get_predicate(const Operand& operand) {
  Value* value = get_bits(operand, 1);
  return operand.negated ? builder_.CreateNot(value) : value;
}

void ScalarFunction::set_bits(const Operand& operand, Value* value, bool sign_extend) {
  if (operand.kind == Operand::Kind::kSink) {
    return;
  }
  if (operand.kind == Operand::Kind::kVector) {
    set_bits(operand.members.at(0), value, sign_extend);
    return;
  }
  Value* slot = slot_of(operand);
  llvm::Type* type = llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType();
  value = sign_extend ? builder_.CreateSExtOrTrunc(value, type)
                      : builder_.CreateZExtOrTrunc(value, type);
  builder_.CreateStore(value, slot);
}

void ScalarFunction::set(const Operand& operand, Value* value, Type type) {
  if (value->getType()->isFloatingPointTy()) {
    value = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, value);
  }
  set_bits(operand, as_bits(value), ptx::is_signed(type));
}

llvm::Value* ScalarFunction::special(const Operand& operand) {
  using ptx::SpecialRegister;
  switch (operand.special) {
  case SpecialRegister::kWarpSize:
    return number(exec::kLanes);
  case SpecialRegister::kNwarpid:
    return number(exec::kMostWarps);
  case SpecialRegister::kClock64:
  case SpecialRegister::kClock:
    return operation(LaneOperation::kClock, bits(64), {});
  case SpecialRegister::kClockHi:
    return builder_.CreateLShr(operation(LaneOperation::kClock, bits(64), {}), 32);
  case SpecialRegister::kGlobaltimer:
  case SpecialRegister::kGlobaltimerLo:
    return operation(LaneOperation::kGlobalTimer, bits(64), {});
  case SpecialRegister::kGlobaltimerHi:
    return builder_.CreateLShr(operation(LaneOperation::kGlobalTimer, bits(64), {}), 32);
  case SpecialRegister::kPm:
    return number(0, 64);
  case SpecialRegister::kClusterid:
  case SpecialRegister::kNclusterid:
  case SpecialRegister::kClusterCtaid:
  case SpecialRegister::kClusterNctaid:
    return operation(
        LaneOperation::kSpecial, bits(32),
        {number(static_cast<unsigned>(operand.special)), number(operand.element % 3U)});
  default: {
    const SpecialRegister which = operand.special;
    const bool wide = which == SpecialRegister::kGridid;
    return operation(
        LaneOperation::kSpecial, bits(wide ? 64 : 32),
        {number(static_cast<unsigned>(which)), number(static_cast<std::uint64_t>(operand.value))});
  }
  }
}

llvm::Value* ScalarFunction::address_of(const Operand& operand) {
  Value* address = nullptr;
  if (operand.kind == Operand::Kind::kVariable) {
    const std::uint32_t storage =
        program_
            .function_variables[module_index_][program_.functions[index_].function][operand.index];
    if (storage != ptx::Program::kNoStorage) {
      address = operation(LaneOperation::kVariable, bits(64), {number(storage)});
    } else {
      address = builder_.CreatePtrToInt(variables_[operand.index], bits(64));
    }
  } else {
    const ptx::Target& target = program_.symbols[module_index_][operand.index];
    address = operation(target.kind == ptx::Target::Kind::kFunction ? LaneOperation::kFunction
                                                                    : LaneOperation::kVariable,
                        bits(64), {number(target.index)});
  }
  return operand.value == 0
             ? address
             : builder_.CreateAdd(address, number(static_cast<std::uint64_t>(operand.value), 64));
}

} // namespace gantry::simt::lower
