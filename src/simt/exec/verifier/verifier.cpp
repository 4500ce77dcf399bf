// An instruction is accepted if one of its opcode's forms (forms.def) fits. If none does, the
// message is about the form that fits best.
#include "simt/exec/verifier/verifier.h"
#include "simt/exec/verifier/forms.h"
#include "simt/exec/verifier/operands.h"
#include "simt/ptx/instruction.h"

#include <algorithm>

#include <fmt/format.h>

namespace gantry::simt::exec {

namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using verifier::Form;
using verifier::Modifiers;
using verifier::OperandCheck;

Modifiers modifiers_of(const Instruction& instruction) {
  Modifiers modifiers;
  for (std::size_t i = 0; i < modifiers.size(); ++i) {
    modifiers.set(i, instruction.has(static_cast<Modifier>(i)));
  }
  return modifiers;
}

std::string unsupported(const Instruction& instruction) {
  return fmt::format("Feature '{}' not supported", instruction.name);
}

std::string mismatch(const Instruction& instruction) {
  return fmt::format("Arguments mismatch for instruction '{}'",
                     verifier::name_of(instruction.opcode));
}

/// Words that make another, unknown instruction of a known one.
bool is_feature(Modifier modifier) {
  switch (modifier) {
  case Modifier::kL2CacheHint:
  case Modifier::kCluster:
  case Modifier::kAsync:
  case Modifier::kOob:
  case Modifier::kRna:
  case Modifier::kV2:
  case Modifier::kV4:
  case Modifier::kV8:
  case Modifier::kSatfinite:
    return true;
  default:
    return false;
  }
}

std::string modifier_error(const Instruction& instruction, const Form& form,
                           const Modifiers& modifiers) {
  const std::string_view name = verifier::name_of(instruction.opcode);
  Modifiers wrong = modifiers & ~form.allowed;
  for (const Form::Group& group : form.groups) {
    const Modifiers present = modifiers & group.members;
    if (present.count() > 1) {
      wrong |= present;
    }
  }
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (wrong.test(i)) {
      return is_feature(static_cast<Modifier>(i))
                 ? unsupported(instruction)
                 : fmt::format("Illegal modifier '.{}' for instruction '{}'", verifier::word_of(i),
                               name);
    }
  }
  for (const Form::Group& group : form.groups) {
    if (!group.required || (modifiers & group.members).any()) {
      continue;
    }
    if (group.members.test(static_cast<std::size_t>(Modifier::kRn))) {
      return fmt::format("Rounding modifier required for instruction '{}'", name);
    }
    std::string words;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      if (group.members.test(i)) {
        words += fmt::format("{}.{}", words.empty() ? "" : ", ", verifier::word_of(i));
      }
    }
    return fmt::format("Modifier required for instruction '{}': {}", name, words);
  }
  return {};
}

unsigned modifier_errors(const Form& form, const Modifiers& modifiers) {
  std::size_t errors = (modifiers & ~form.allowed).count();
  for (const Form::Group& group : form.groups) {
    const std::size_t present = (modifiers & group.members).count();
    errors += present > 1 ? present - 1 : present == 0 && group.required ? 1 : 0;
  }
  return static_cast<unsigned>(errors);
}

bool has_types(const Instruction& instruction, const Form& form) {
  if (instruction.type_count != form.types.size()) {
    return false;
  }
  for (std::size_t i = 0; i < form.types.size(); ++i) {
    if ((form.types[i] >> static_cast<unsigned>(instruction.types[i]) & 1) == 0) {
      return false;
    }
  }
  return true;
}

/// Which conversions round, and how, depends on both types.
std::string conversion_error(const Instruction& instruction) {
  const Type to = instruction.type(0);
  const Type from = instruction.type(1);
  const auto has = [&](Modifier modifier) { return instruction.has(modifier); };
  if (to == Type::kTf32) {
    return {}; // its forms say it
  }
  const bool to_integral =
      has(Modifier::kRni) || has(Modifier::kRzi) || has(Modifier::kRmi) || has(Modifier::kRpi);
  const bool rounds =
      has(Modifier::kRn) || has(Modifier::kRz) || has(Modifier::kRm) || has(Modifier::kRp);
  const bool from_float = ptx::is_float(from);
  const bool to_float = ptx::is_float(to);
  if (has(Modifier::kFtz) && from != Type::kF32 && to != Type::kF32) {
    return "Illegal modifier '.ftz' for instruction 'cvt'";
  }
  const bool integral_allowed = from_float && (!to_float || to == from);
  const bool rounding_required =
      to_float && to != from &&
      (!from_float || ptx::is_packed(to) || ptx::size_of(to) <= ptx::size_of(from));
  // bf16 is said to round also to where it fits.
  const bool rounding_allowed =
      rounding_required || (from == Type::kBf16 && to_float && to != from);
  if ((to_integral && !integral_allowed) || (rounds && !rounding_allowed)) {
    return "Illegal rounding modifier for instruction 'cvt'";
  }
  if ((rounding_required && !rounds) || (from_float && !to_float && !to_integral)) {
    return "Rounding modifier required for instruction 'cvt'";
  }
  return {};
}

std::string copy_error(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (operands.size() < 3 || instruction.has(Modifier::kBulk)) {
    return {};
  }
  const std::int64_t size = operands[2].value;
  const bool valid = size == 16 || (instruction.has(Modifier::kCa) && (size == 4 || size == 8));
  return valid ? std::string{} : fmt::format("Illegal size {} for instruction 'cp.async'", size);
}

/// Of mma, those of A and B: .row.col but for products of quarters of a warp.
bool has_layouts(const Instruction& instruction) {
  const std::optional<ptx::MatrixLayouts> layouts = ptx::matrix_layouts(instruction);
  const bool may_be_any = ptx::matrix_shape(instruction).products > 1;
  return layouts && (may_be_any || (!layouts->a_by_columns && layouts->b_by_columns));
}

/// What an arrival at another block's barrier gives nobody may know.
std::string arrival_error(const Instruction& instruction) {
  const bool arrives = instruction.has(Modifier::kArrive) || instruction.has(Modifier::kArriveDrop);
  return arrives && instruction.has(Modifier::kSharedCluster) &&
                 instruction.operands[0].kind != ptx::Operand::Kind::kSink
             ? mismatch(instruction)
             : std::string{};
}

std::string special_error(const Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::k_cvt:
    return conversion_error(instruction);
  case Opcode::k_cp:
    return copy_error(instruction);
  case Opcode::k_mbarrier:
    return arrival_error(instruction);
  case Opcode::k_lop3: {
    const std::int64_t table = instruction.operands[4].value;
    return table >= 0 && table <= 255 ? std::string{} : mismatch(instruction);
  }
  case Opcode::k_alloca: {
    const std::int64_t alignment =
        instruction.operands.size() > 2 ? instruction.operands[2].value : 8;
    return alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= 4096
               ? std::string{}
               : mismatch(instruction);
  }
  case Opcode::k_discard:
  case Opcode::k_applypriority:
    return instruction.operands[1].value == 128 ? std::string{} : mismatch(instruction);
  case Opcode::k_fence:
    return instruction.operands.empty() || instruction.operands[1].value == 128
               ? std::string{}
               : mismatch(instruction);
  default:
    return {};
  }
}

} // namespace

std::string verify(const Instruction& instruction, const ptx::Function& function) {
  if (instruction.opcode == Opcode::kUnknown || instruction.unknown_modifier) {
    return unsupported(instruction);
  }
  const OperandCheck operands(instruction, function);
  if (instruction.guard &&
      function.registers[instruction.guard->register_index].type != Type::kPred) {
    return mismatch(instruction);
  }
  if (instruction.opcode == Opcode::k_call) {
    return operands.is_call() ? std::string{} : mismatch(instruction);
  }
  const std::vector<Form>& candidates = verifier::forms_of(instruction.opcode);
  const Modifiers modifiers = modifiers_of(instruction);
  const Form* nearest = nullptr;
  unsigned fewest = ~0U;
  bool fits = false;
  for (const Form& form : candidates) {
    if (!has_types(instruction, form)) {
      continue;
    }
    const unsigned errors = modifier_errors(form, modifiers);
    if (errors < fewest) {
      fewest = errors;
      nearest = &form;
    }
    fits |= errors == 0 && operands.fits(form);
  }
  // A GPU has many more shapes and types of matrices.
  if (instruction.opcode == Opcode::k_mma && (fewest != 0 || !has_layouts(instruction))) {
    return unsupported(instruction);
  }
  if (nearest == nullptr) {
    const bool wide = std::ranges::find(instruction.types, Type::kB128) != instruction.types.end();
    return wide ? unsupported(instruction)
                : fmt::format("Unexpected instruction types specified for '{}'",
                              verifier::name_of(instruction.opcode));
  }
  if (fewest != 0) {
    return modifier_error(instruction, *nearest, modifiers);
  }
  if (operands.is_in_wrong_space()) {
    return fmt::format("State space mismatch between instruction and address in instruction '{}'",
                       verifier::name_of(instruction.opcode));
  }
  if (!fits && instruction.opcode == Opcode::k_mov && !instruction.has(Modifier::kV2) &&
      !instruction.has(Modifier::kV4)) {
    fits = operands.is_packing() || operands.is_unpacking();
  }
  return fits ? special_error(instruction) : mismatch(instruction);
}

} // namespace gantry::simt::exec
