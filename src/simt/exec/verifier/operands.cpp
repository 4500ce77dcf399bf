#include "simt/exec/verifier/operands.h"

#include "simt/ptx/instruction.h"

#include <algorithm>

namespace gantry::simt::exec::verifier {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using Kind = ptx::Operand::Kind;

Type doubled(Type type) {
  switch (type) {
  case Type::kU16:
    return Type::kU32;
  case Type::kS16:
    return Type::kS32;
  case Type::kU32:
    return Type::kU64;
  default:
    return Type::kS64;
  }
}

} // namespace

bool OperandCheck::fits(const Form& form) const {
  std::size_t next = 0;
  for (const Slot& slot : form.slots) {
    const bool absent = (slot.role == Slot::Role::kBooleanPredicate && !has_boolean()) ||
                        (slot.role == Slot::Role::kCachePolicy && !has(Modifier::kL2CacheHint));
    if (absent || (slot.optional && next == instruction_.operands.size())) {
      continue;
    }
    if (next == instruction_.operands.size() || !fits(slot, instruction_.operands[next])) {
      return false;
    }
    ++next;
  }
  return next == instruction_.operands.size();
}

bool OperandCheck::is_call() const {
  const auto& operands = instruction_.operands;
  if (operands.size() != 4 || operands[0].kind != Kind::kVector ||
      operands[2].kind != Kind::kVector) {
    return false;
  }
  const bool direct = operands[1].kind == Kind::kSymbol;
  if (!direct && !is_source(operands[1], Type::kU64)) {
    return false;
  }
  if (!direct && operands[1].kind != Kind::kRegister) {
    return false;
  }
  const bool described = operands[3].kind == Kind::kPrototype ||
                         operands[3].kind == Kind::kCallTargets || operands[3].kind == Kind::kSink;
  return described &&
         std::ranges::all_of(operands[0].members,
                             [&](const Operand& result) { return is_passed(result, false); }) &&
         std::ranges::all_of(operands[2].members,
                             [&](const Operand& argument) { return is_passed(argument, true); });
}

bool OperandCheck::is_unpacking() const {
  const auto& operands = instruction_.operands;
  if (operands.size() != 2) {
    return false;
  }
  const std::vector<Operand> parts = ptx::elements_of(operands[0], function_);
  return can_pack(parts) && is_source(operands[1], instruction_.type()) &&
         std::ranges::all_of(parts, [&](const Operand& part) {
           return is_result(part, part_type(parts.size()), false);
         });
}

bool OperandCheck::is_packing() const {
  const auto& operands = instruction_.operands;
  if (operands.size() != 2) {
    return false;
  }
  const std::vector<Operand> parts = ptx::elements_of(operands[1], function_);
  return can_pack(parts) && is_result(operands[0], instruction_.type(), false) &&
         std::ranges::all_of(parts, [&](const Operand& part) {
           const Type type = part_type(parts.size());
           return part.kind == Kind::kRegister ? is_result(part, type, false)
                                               : is_source(part, type);
         });
}

bool OperandCheck::is_in_wrong_space() const {
  return std::ranges::any_of(instruction_.operands, [&](const Operand& operand) {
    if (operand.kind != Kind::kAddress || operand.members.size() != 1 ||
        operand.members[0].kind != Kind::kVariable || instruction_.opcode == Opcode::k_cp) {
      return false;
    }
    const Space space = function_.variables[operand.members[0].index].space;
    const Space accessed = ptx::accessed_space(instruction_);
    return accessed != Space::kGeneric && accessed != space;
  });
}

bool OperandCheck::has(Modifier modifier) const {
  return instruction_.has(modifier);
}

bool OperandCheck::has_boolean() const {
  return has(Modifier::kAnd) || has(Modifier::kOr) || has(Modifier::kXor);
}

Type OperandCheck::type_of(const Slot& slot) const {
  const Type type = slot.type != Type::kNone ? slot.type : instruction_.type(slot.type_index);
  return slot.doubled ? doubled(type) : type;
}

bool OperandCheck::fits(const Slot& slot, const Operand& operand) const {
  using Role = Slot::Role;
  const Type type = type_of(slot);
  switch (slot.role) {
  case Role::kResult:
  case Role::kWideResult:
  case Role::kPredicateResult: {
    const bool wide = slot.role == Role::kWideResult;
    const Type result = slot.role == Role::kPredicateResult ? Type::kPred : type;
    if (operand.kind == Kind::kPair) {
      return slot.may_be_pair && operand.members.size() == 2 &&
             is_result(operand.members[0], result, wide) &&
             is_result(operand.members[1], Type::kPred, false);
    }
    return !slot.must_be_pair && is_result(operand, result, wide);
  }
  case Role::kSource:
    return is_source(operand, type);
  case Role::kAddressSource:
    return is_source(operand, type) || is_address_of(operand, type);
  case Role::kPredicate:
  case Role::kBooleanPredicate:
    return is_source(operand, Type::kPred);
  case Role::kInteger:
    return operand.kind == Kind::kInteger;
  case Role::kAddress:
    return is_address(operand);
  case Role::kLoaded:
    return is_moved(operand, [&](const Operand& element) {
      return is_result(element, type, instruction_.opcode != Opcode::k_mov);
    });
  case Role::kStored:
    return is_moved(operand, [&](const Operand& element) { return is_source(element, type); });
  case Role::kLabel:
    return operand.kind == Kind::kLabel;
  case Role::kLabelList:
    return operand.kind == Kind::kLabelList;
  case Role::kCachePolicy:
    return is_source(operand, Type::kB64);
  case Role::kMatrixResult:
  case Role::kMatrixSource: {
    // Registers of any type have the right size; of f64 64 bits.
    const Type part = type == Type::kF64 ? Type::kB64 : Type::kB32;
    return operand.kind == Kind::kVector &&
           operand.members.size() == ptx::fragment_registers(instruction_, slot.type_index) &&
           std::ranges::all_of(operand.members, [&](const Operand& member) {
             return slot.role == Role::kMatrixResult || member.kind == Kind::kRegister
                        ? is_result(member, part, false)
                        : is_source(member, part);
           });
  }
  }
  return false;
}

const ptx::Register* OperandCheck::scalar_register(const Operand& operand) const {
  if (operand.kind != Kind::kRegister || operand.minus) {
    return nullptr;
  }
  const ptx::Register& found = function_.registers[operand.index];
  const bool whole = operand.element == Operand::kWhole;
  return (found.vector == 1) == whole && (whole || operand.element < found.vector) ? &found
                                                                                   : nullptr;
}

bool OperandCheck::is_result(const Operand& operand, Type type, bool may_be_wider) const {
  if (operand.kind == Kind::kSink) {
    return true;
  }
  const ptx::Register* found = scalar_register(operand);
  if (found == nullptr || operand.negated || found->type == Type::kB128) {
    return false;
  }
  if (type == Type::kPred || found->type == Type::kPred) {
    return type == found->type;
  }
  const unsigned have = ptx::size_of(found->type);
  const unsigned need = ptx::size_of(type);
  return have == need || (may_be_wider && have > need && !ptx::is_float(type));
}

bool OperandCheck::is_source(const Operand& operand, Type type) const {
  if (operand.minus || (operand.negated && type != Type::kPred)) {
    return false;
  }
  const bool plain = !ptx::is_float(type) && type != Type::kPred;
  switch (operand.kind) {
  case Kind::kRegister: {
    const ptx::Register* found = scalar_register(operand);
    if (found == nullptr || found->type == Type::kB128) {
      return false;
    }
    if (type == Type::kPred || found->type == Type::kPred) {
      return type == found->type;
    }
    const unsigned have = ptx::size_of(found->type);
    const unsigned need = ptx::size_of(type);
    return plain ? have >= need : have == need;
  }
  case Kind::kInteger:
    return type != Type::kF32 && type != Type::kF64;
  case Kind::kFloat32:
    return type == Type::kF32 || type == Type::kB32;
  case Kind::kFloat64:
    return type == Type::kF64 || type == Type::kB64 || type == Type::kF32;
  case Kind::kSpecial:
    if (operand.special == ptx::SpecialRegister::kIsExplicitCluster) {
      return type == Type::kPred;
    }
    return plain && ptx::size_of(type) <= size_of_special(operand.special);
  default:
    return false;
  }
}

unsigned OperandCheck::size_of_special(ptx::SpecialRegister special) {
  using ptx::SpecialRegister;
  switch (special) {
  case SpecialRegister::kClock64:
  case SpecialRegister::kGlobaltimer:
  case SpecialRegister::kGridid:
  case SpecialRegister::kPm:
  case SpecialRegister::kWarpSize:
    return 8;
  default:
    return 4;
  }
}

bool OperandCheck::is_address_of(const Operand& operand, Type type) const {
  if (ptx::is_float(type) || ptx::size_of(type) < 4) {
    return false;
  }
  if (operand.kind == Kind::kSymbol) {
    return true;
  }
  if (operand.kind != Kind::kVariable) {
    return false;
  }
  const bool is_parameter =
      std::ranges::find(function_.parameters, operand.index) != function_.parameters.end();
  const Space space = function_.variables[operand.index].space;
  return space != Space::kRegister && (space != Space::kParam || is_parameter);
}

bool OperandCheck::is_address(const Operand& operand) const {
  if (operand.kind != Kind::kAddress || operand.members.size() != 1) {
    return false;
  }
  const Operand& base = operand.members[0];
  const bool to_parameter = ptx::accessed_space(instruction_) == Space::kParam;
  if (base.kind == Kind::kRegister) {
    // A register can only point to parameters of a kernel, which are read only.
    const bool reads_kernel = reads_only() && (function_.is_entry || has(Modifier::kParamEntry));
    return is_source(base, Type::kU32) && (!to_parameter || reads_kernel);
  }
  if (base.kind == Kind::kVariable) {
    const ptx::Variable& variable = function_.variables[base.index];
    const bool stored = !reads_only();
    // Only what the instruction accesses for certain; beyond the end is not.
    const std::uint64_t size =
        std::uint64_t{ptx::vector_length(instruction_)} * ptx::size_of(instruction_.type());
    const bool inside =
        operand.value >= 0 && static_cast<std::uint64_t>(operand.value) + size <= variable.size();
    return variable.space != Space::kRegister &&
           (variable.space != Space::kParam ||
            (inside && !(stored && is_kernel_parameter(base.index)) &&
             (reads_only() || instruction_.opcode == Opcode::k_st)));
  }
  return (base.kind == Kind::kSymbol || base.kind == Kind::kInteger) && !to_parameter;
}

bool OperandCheck::reads_only() const {
  return instruction_.opcode == Opcode::k_ld || instruction_.opcode == Opcode::k_prefetch;
}

bool OperandCheck::is_kernel_parameter(std::uint32_t variable) const {
  return function_.is_entry &&
         std::ranges::find(function_.parameters, variable) != function_.parameters.end();
}

template <typename Fits>
bool OperandCheck::is_moved(const Operand& operand, Fits fits) const {
  const unsigned length = ptx::vector_length(instruction_);
  if (length * ptx::size_of(instruction_.type()) > 32 ||
      (length == 8 && ptx::size_of(instruction_.type()) != 4)) {
    return false;
  }
  if (operand.kind == Kind::kVector) {
    return operand.members.size() == length && std::ranges::all_of(operand.members, fits);
  }
  if (length == 1) {
    return fits(operand);
  }
  if (operand.kind != Kind::kRegister || operand.element != Operand::kWhole) {
    return false;
  }
  Operand element = operand;
  element.element = 0;
  return function_.registers[operand.index].vector == length && fits(element);
}

bool OperandCheck::can_pack(const std::vector<Operand>& parts) const {
  return ptx::is_bits(instruction_.type()) && (parts.size() == 2 || parts.size() == 4) &&
         part_type(parts.size()) != Type::kNone;
}

Type OperandCheck::part_type(std::size_t count) const {
  switch (ptx::size_of(instruction_.type()) / count) {
  case 1:
    return Type::kB8;
  case 2:
    return Type::kB16;
  case 4:
    return Type::kB32;
  default:
    return Type::kNone;
  }
}

bool OperandCheck::is_passed(const Operand& operand, bool is_argument) const {
  switch (operand.kind) {
  case Kind::kVariable:
    return function_.variables[operand.index].space == Space::kParam &&
           !is_kernel_parameter(operand.index);
  case Kind::kRegister: {
    const ptx::Register* found = scalar_register(operand);
    return found != nullptr && !operand.negated && found->type != Type::kPred &&
           found->type != Type::kB128;
  }
  case Kind::kSink:
    return !is_argument;
  case Kind::kInteger:
  case Kind::kFloat32:
  case Kind::kFloat64:
    return is_argument;
  default:
    return false;
  }
}

} // namespace gantry::simt::exec::verifier
