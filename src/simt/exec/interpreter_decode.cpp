// From the parsed instructions of a function to operations.
#include "simt/exec/interpreter_homes.h"

#include <algorithm>
#include <bit>
#include <map>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using Kind = ptx::Operand::Kind;

class Decoder {
public:
  Decoder(const ptx::Program& program, std::uint32_t index)
      : program_(program), entry_(program.functions[index]), function_(program.definition(index)),
        result_(decoded_function(index, function_)), homes_(program, *result_) {}

  std::unique_ptr<DecodedFunction> run() {
    result_->operations.reserve(function_.instructions.size());
    for (const Instruction& instruction : function_.instructions) {
      result_->operations.push_back(operation_of(instruction));
    }
    return std::move(result_);
  }

private:
  static std::unique_ptr<DecodedFunction> decoded_function(std::uint32_t index,
                                                           const ptx::Function& function) {
    auto decoded = std::make_unique<DecodedFunction>();
    decoded->index = index;
    decoded->function = &function;
    return decoded;
  }

  const Column* constant(std::uint64_t value) {
    auto [it, added] = constants_.try_emplace(value, nullptr);
    if (added) {
      result_->constants.emplace_back().fill(value);
      it->second = &result_->constants.back();
    }
    return it->second;
  }

  Source constant_source(std::uint64_t value) {
    Source source;
    source.kind = Source::Kind::kConstant;
    source.value = value;
    source.constant = constant(value);
    return source;
  }

  Source source_of(const Operand& operand, Type type) {
    Source source;
    source.negated = operand.negated;
    switch (operand.kind) {
    case Kind::kRegister:
      source.kind = Source::Kind::kRegister;
      source.index =
          homes_.column(operand.index) + (operand.element == Operand::kWhole ? 0 : operand.element);
      return source;
    case Kind::kSpecial:
      source.kind = Source::Kind::kSpecial;
      source.special = operand.special;
      source.element = operand.element;
      source.value = static_cast<std::uint64_t>(operand.value);
      return source;
    case Kind::kVariable: {
      const Home& home = homes_.of(operand.index);
      source.value = static_cast<std::uint64_t>(operand.value);
      if (home.kind == Home::Kind::kProgram) {
        source.kind = Source::Kind::kVariable;
        source.index = home.offset;
        return source;
      }
      source.value += home.offset;
      if (home.kind == Home::Kind::kLocal) {
        source.kind = Source::Kind::kLocal;
        return source;
      }
      return constant_source(source.value);
    }
    case Kind::kSymbol: {
      const ptx::Target& target = program_.symbols[entry_.module][operand.index];
      source.kind = target.kind == ptx::Target::Kind::kFunction ? Source::Kind::kFunction
                                                                : Source::Kind::kVariable;
      source.index = target.index;
      source.value = static_cast<std::uint64_t>(operand.value);
      return source;
    }
    case Kind::kFloat64:
      if (type == Type::kF32) {
        const auto value = static_cast<float>(std::bit_cast<double>(operand.value));
        return constant_source(std::bit_cast<std::uint32_t>(value));
      }
      break;
    default:
      break;
    }
    std::uint64_t value = static_cast<std::uint64_t>(operand.value);
    if (type == Type::kPred) {
      value = (value != 0) != operand.negated ? 1 : 0;
    } else if (ptx::size_of(type) < 8 && type != Type::kNone) {
      value &= (1ULL << (8 * ptx::size_of(type))) - 1;
    }
    return constant_source(value);
  }

  Destination destination_of(const Operand& operand) {
    if (operand.kind != Kind::kRegister) {
      return {};
    }
    const unsigned element = operand.element == Operand::kWhole ? 0 : operand.element;
    return {homes_.column(operand.index) + element, function_.registers[operand.index].type};
  }

  /// The elements of what a vector instruction moves: {a, b}, or a vector register.
  std::vector<Operand> elements_of(const Operand& operand, unsigned count) const {
    if (operand.kind == Kind::kVector) {
      return operand.members;
    }
    std::vector<Operand> elements(count, operand);
    for (unsigned i = 0; i < count && count > 1; ++i) {
      elements[i].element = static_cast<std::uint8_t>(i);
    }
    return elements;
  }

  /// How many elements an operand of mov has.
  unsigned parts_of(const Operand& operand) const {
    if (operand.kind == Kind::kVector) {
      return static_cast<unsigned>(operand.members.size());
    }
    const bool is_whole = operand.kind == Kind::kRegister && operand.element == Operand::kWhole;
    return is_whole ? function_.registers[operand.index].vector : 1;
  }

  static Space space_of(const Instruction& instruction) {
    if (instruction.has(Modifier::kShared) || instruction.has(Modifier::kSharedCta) ||
        instruction.has(Modifier::kSharedCluster)) {
      return Space::kShared;
    }
    constexpr std::pair<Modifier, Space> kSpaces[] = {
        {Modifier::kGlobal, Space::kGlobal},    {Modifier::kLocal, Space::kLocal},
        {Modifier::kConst, Space::kConst},      {Modifier::kParam, Space::kParam},
        {Modifier::kParamEntry, Space::kParam}, {Modifier::kParamFunc, Space::kParam},
    };
    for (const auto& [modifier, space] : kSpaces) {
      if (instruction.has(modifier)) {
        return space;
      }
    }
    return Space::kGeneric;
  }

  Address address_of(const Operand& operand, Space space) {
    const Operand& base = operand.members[0];
    Address address;
    address.space = space;
    address.offset = operand.value;
    if (base.kind == Kind::kVariable) {
      const Home& home = homes_.of(base.index);
      address.space = space == Space::kGeneric || space == Space::kParam
                          ? function_.variables[base.index].space
                          : space;
      if (home.kind == Home::Kind::kFrame || home.kind == Home::Kind::kKernelParameter) {
        address.in_frame = home.kind == Home::Kind::kFrame;
        address.base = constant_source(0);
        address.offset += home.offset + base.value;
        return address;
      }
      if (home.kind == Home::Kind::kLocal) {
        address.space = Space::kLocal;
      }
    } else if (base.kind == Kind::kSymbol && space == Space::kGeneric) {
      const ptx::Target& target = program_.symbols[entry_.module][base.index];
      if (target.kind == ptx::Target::Kind::kVariable) {
        address.space = program_.variables[target.index].space;
      }
    } else if (base.kind == Kind::kRegister) {
      address.narrow = ptx::size_of(function_.registers[base.index].type) == 4;
    }
    address.base = source_of(base, Type::kU64);
    return address;
  }

  void decode_memory(Operation& operation, const Instruction& instruction) {
    const bool stores = instruction.opcode == Opcode::k_st;
    operation.vector = instruction.has(Modifier::kV8)   ? 8
                       : instruction.has(Modifier::kV4) ? 4
                       : instruction.has(Modifier::kV2) ? 2
                                                        : 1;
    operation.address = address_of(instruction.operands[stores ? 0 : 1], space_of(instruction));
    for (const Operand& element :
         elements_of(instruction.operands[stores ? 1 : 0], operation.vector)) {
      if (stores) {
        operation.sources.push_back(source_of(element, operation.type));
      } else {
        operation.destinations.push_back(destination_of(element));
      }
    }
  }

  void decode_copy(Operation& operation, const Instruction& instruction) {
    if (!instruction.has(Modifier::kGlobal)) {
      return;
    }
    operation.address = address_of(instruction.operands[0], Space::kShared);
    operation.copied = address_of(instruction.operands[1], Space::kGlobal);
    if (instruction.operands.size() > 3) {
      const Operand& last = instruction.operands[3];
      const bool is_predicate =
          last.kind == Kind::kRegister && function_.registers[last.index].type == Type::kPred;
      operation.detail = is_predicate ? 1 : 0;
      operation.sources.push_back(source_of(last, is_predicate ? Type::kPred : Type::kU32));
    }
  }

  void decode_move(Operation& operation, const Instruction& instruction) {
    const Operand& to = instruction.operands[0];
    const Operand& from = instruction.operands[1];
    for (const Operand& element : elements_of(from, parts_of(from))) {
      operation.sources.push_back(source_of(element, operation.type));
    }
    for (const Operand& element : elements_of(to, parts_of(to))) {
      operation.destinations.push_back(destination_of(element));
    }
  }

  void decode_call(Operation& operation, const Instruction& instruction) {
    operation.call = std::make_unique<CallSite>();
    CallSite& call = *operation.call;
    const Operand& target = instruction.operands[1];
    call.handle = source_of(target, Type::kU64);
    if (call.handle.kind == Source::Kind::kFunction) {
      call.function = call.handle.index;
    }
    for (const Operand& result : instruction.operands[0].members) {
      call.results.push_back(passed_by(result));
    }
    for (const Operand& argument : instruction.operands[2].members) {
      call.arguments.push_back(passed_by(argument));
    }
  }

  Passed passed_by(const Operand& operand) {
    switch (operand.kind) {
    case Kind::kVariable:
      return homes_.passed(operand.index);
    case Kind::kRegister: {
      const Destination place = destination_of(operand);
      return {Passed::Kind::kRegister, place.column, ptx::size_of(place.type)};
    }
    case Kind::kFloat32:
      return {Passed::Kind::kValue, 0, 4, static_cast<std::uint64_t>(operand.value)};
    case Kind::kInteger:
    case Kind::kFloat64:
      return {Passed::Kind::kValue, 0, 8, static_cast<std::uint64_t>(operand.value)};
    default:
      return {};
    }
  }

  void decode_branch(Operation& operation, const Instruction& instruction) {
    const Operand& target = instruction.operands.back();
    if (target.kind == Kind::kLabel) {
      operation.targets.push_back(function_.labels[target.index].instruction);
      return;
    }
    operation.sources.push_back(source_of(instruction.operands[0], Type::kU32));
    for (const std::uint32_t label : function_.label_lists[target.index]) {
      operation.targets.push_back(function_.labels[label].instruction);
    }
  }

  /// How many of the operands are results: all but those of stores and of what only acts.
  static unsigned results_of(const Instruction& instruction) {
    switch (instruction.opcode) {
    case Opcode::k_red:
    case Opcode::k_nanosleep:
    case Opcode::k_stackrestore:
    case Opcode::k_pmevent:
      return 0;
    case Opcode::k_bar:
    case Opcode::k_barrier:
      return instruction.has(Modifier::kRed) ? 1 : 0;
    default:
      return instruction.operands.empty() ? 0 : 1;
    }
  }

  /// The type that a source has, for literals and predicates.
  Type source_type(const Instruction& instruction, const Operand& operand, unsigned source) const {
    if (operand.kind == Kind::kRegister && function_.registers[operand.index].type == Type::kPred) {
      return Type::kPred;
    }
    const bool has_boolean = instruction.has(Modifier::kAnd) || instruction.has(Modifier::kOr) ||
                             instruction.has(Modifier::kXor);
    const bool wide = instruction.has(Modifier::kWide);
    switch (instruction.opcode) {
    case Opcode::k_selp:
      return source == 2 ? Type::kPred : instruction.type();
    case Opcode::k_setp:
      return source == 2 && has_boolean ? Type::kPred : instruction.type();
    case Opcode::k_set:
      return source == 2 && has_boolean ? Type::kPred : instruction.type(1);
    case Opcode::k_lop3:
      return source == 4 ? Type::kPred : Type::kB32;
    case Opcode::k_vote:
      return source == 0 ? Type::kPred : Type::kU32;
    case Opcode::k_bar:
    case Opcode::k_barrier:
      return instruction.has(Modifier::kRed) && &operand == &instruction.operands.back()
                 ? Type::kPred
                 : Type::kU32;
    case Opcode::k_cvt:
      return instruction.type(1);
    case Opcode::k_slct:
      return source == 2 ? instruction.type(1) : instruction.type();
    case Opcode::k_shl:
    case Opcode::k_shr:
      return source == 1 ? Type::kU32 : instruction.type();
    case Opcode::k_bfe:
      return source > 0 ? Type::kU32 : instruction.type();
    case Opcode::k_bfi:
      return source > 1 ? Type::kU32 : instruction.type();
    case Opcode::k_mad:
      return wide && source == 2 ? Type::kU64 : instruction.type();
    case Opcode::k_match:
      return source == 1 ? Type::kU32 : instruction.type();
    case Opcode::k_elect:
      return Type::kU32;
    case Opcode::k_isspacep:
      return Type::kU64;
    default:
      // Operands of 32 bits follow: masks, lanes, third operands of dp4a and the video
      // instructions.
      return source > 0 && instruction.type_count > 1 ? Type::kB32 : instruction.type();
    }
  }

  void decode_plain(Operation& operation, const Instruction& instruction) {
    unsigned results = results_of(instruction);
    unsigned source = 0;
    for (const Operand& operand : instruction.operands) {
      if (results > 0) {
        --results;
        if (operand.kind == Kind::kPair) {
          operation.destinations.push_back(destination_of(operand.members[0]));
          operation.destinations.push_back(destination_of(operand.members[1]));
        } else {
          operation.destinations.push_back(destination_of(operand));
        }
      } else if (operand.kind == Kind::kAddress) {
        operation.address = address_of(operand, space_of(instruction));
      } else {
        operation.sources.push_back(
            source_of(operand, source_type(instruction, operand, source++)));
      }
    }
  }

  void decode_operands(Operation& operation, const Instruction& instruction) {
    switch (instruction.opcode) {
    case Opcode::k_ld:
    case Opcode::k_ldu:
    case Opcode::k_st:
      decode_memory(operation, instruction);
      break;
    case Opcode::k_cp:
      decode_copy(operation, instruction);
      break;
    case Opcode::k_mov:
      decode_move(operation, instruction);
      break;
    case Opcode::k_call:
      decode_call(operation, instruction);
      break;
    case Opcode::k_bra:
    case Opcode::k_brx:
      decode_branch(operation, instruction);
      break;
    case Opcode::k_prefetch:
    case Opcode::k_prefetchu:
    case Opcode::k_discard:
      break;
    default:
      decode_plain(operation, instruction);
      break;
    }
    if (instruction.opcode == Opcode::k_cvta || instruction.opcode == Opcode::k_isspacep) {
      operation.address.space = space_of(instruction);
      // The copy of a function's parameter is in local memory, whatever the instruction calls it.
      if (!operation.sources.empty() && operation.sources[0].kind == Source::Kind::kLocal) {
        operation.address.space = Space::kLocal;
      }
    }
  }

  static Handler handler_of(Operation& operation) {
    Handler handler = carry_handler(operation);
    constexpr Handler (*kFamilies[])(Operation&) = {
        integer_handler, bit_handler,    float_handler,  compare_handler,
        video_handler,   memory_handler, atomic_handler, warp_handler,
    };
    for (const auto family : kFamilies) {
      handler = handler != nullptr ? handler : family(operation);
    }
    handler = handler != nullptr ? handler : move_handler(operation);
    return handler != nullptr ? handler : control_handler(operation);
  }

  Operation operation_of(const Instruction& instruction) {
    Operation operation;
    operation.instruction = &instruction;
    operation.index = static_cast<std::uint32_t>(result_->operations.size());
    operation.site = site_of(result_->index, operation.index);
    operation.type = instruction.type(0);
    operation.second = instruction.type(1);
    if (instruction.guard) {
      operation.guard = homes_.column(instruction.guard->register_index);
      operation.guard_negated = instruction.guard->negated;
    }
    decode_operands(operation, instruction);
    operation.handler = handler_of(operation);
    return operation;
  }

  const ptx::Program& program_;
  const ptx::ProgramFunction& entry_;
  const ptx::Function& function_;
  std::unique_ptr<DecodedFunction> result_;
  Homes homes_;
  std::map<std::uint64_t, const Column*> constants_;
};

} // namespace

std::unique_ptr<DecodedFunction> decode(const ptx::Program& program, std::uint32_t index) {
  return Decoder(program, index).run();
}

DecodedProgram::DecodedProgram(std::weak_ptr<const ptx::Program> program)
    : program_(std::move(program)), decoded_(program_.lock()->functions.size()),
      published_(decoded_.size()) {}

bool DecodedProgram::is_of(const std::shared_ptr<const ptx::Program>& program) const {
  return !program_.owner_before(program) && !program.owner_before(program_);
}

const DecodedFunction& DecodedProgram::function(std::uint32_t index) {
  if (const DecodedFunction* ready = published_[index].load(std::memory_order_acquire)) {
    return *ready;
  }
  const std::lock_guard lock(mutex_);
  if (!decoded_[index]) {
    decoded_[index] = decode(*program_.lock(), index);
    published_[index].store(decoded_[index].get(), std::memory_order_release);
  }
  return *decoded_[index];
}

std::shared_ptr<DecodedProgram>
DecodedProgram::of(const std::shared_ptr<const ptx::Program>& program) {
  static std::mutex mutex;
  // Never destroyed: kernels may still run while the process ends.
  static auto& all = *new std::vector<std::shared_ptr<DecodedProgram>>;
  const std::lock_guard lock(mutex);
  for (const std::shared_ptr<DecodedProgram>& known : all) {
    if (known->is_of(program)) {
      return known;
    }
  }
  std::erase_if(all, [](const auto& known) { return known->is_expired(); });
  return all.emplace_back(std::make_shared<DecodedProgram>(program));
}

} // namespace gantry::simt::exec::interpreter
