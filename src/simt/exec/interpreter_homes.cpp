#include "simt/exec/interpreter_homes.h"

#include <algorithm>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Space;

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment < 2 ? value : (value + alignment - 1) / alignment * alignment;
}

/// What no function can have: such a one is not called (Machine::new_frame).
constexpr std::uint64_t kTooMuch = 1ULL << 40;

std::uint32_t take(std::uint64_t& bytes, const ptx::Variable& variable) {
  const std::uint64_t offset = round_up(bytes, variable.alignment);
  bytes = std::min(offset + std::min(variable.size(), kTooMuch), kTooMuch);
  return static_cast<std::uint32_t>(offset);
}

/// Parameters of a function whose address is taken are copied to local memory when it is called.
std::vector<bool> with_address_taken(const ptx::Function& function) {
  std::vector<bool> taken(function.variables.size());
  for (const ptx::Instruction& instruction : function.instructions) {
    for (const ptx::Operand& operand : instruction.operands) {
      if (operand.kind == ptx::Operand::Kind::kVariable &&
          instruction.opcode != ptx::Opcode::k_call) {
        taken[operand.index] = true;
      }
    }
  }
  return taken;
}

} // namespace

Homes::Homes(const ptx::Program& program, DecodedFunction& decoded) {
  for (const ptx::Register& declared : decoded.function->registers) {
    columns_.push_back(decoded.columns);
    decoded.columns += declared.vector;
  }
  place(program, decoded);
  for (const std::uint32_t index : decoded.function->parameters) {
    decoded.parameters.push_back(passed(index));
  }
  for (const std::uint32_t index : decoded.function->results) {
    decoded.results.push_back(passed(index));
  }
}

void Homes::place(const ptx::Program& program, DecodedFunction& decoded) {
  const ptx::Function& function = *decoded.function;
  const ptx::ProgramFunction& entry = program.functions[decoded.index];
  const std::vector<bool> taken = with_address_taken(function);
  const auto is_parameter = [&](std::uint32_t index) {
    return std::ranges::find(function.parameters, index) != function.parameters.end();
  };
  homes_.resize(function.variables.size());
  const auto put = [&](std::uint32_t index, Home::Kind kind, std::uint32_t offset) {
    homes_[index] = {kind, offset, static_cast<std::uint32_t>(function.variables[index].size())};
  };
  if (function.is_entry) {
    // A kernel's parameters lie in their order, as the host puts them.
    std::uint64_t bytes = 0;
    for (const std::uint32_t index : function.parameters) {
      put(index, Home::Kind::kKernelParameter, take(bytes, function.variables[index]));
    }
  }
  for (std::uint32_t index = 0; index < homes_.size(); ++index) {
    const ptx::Variable& variable = function.variables[index];
    if (homes_[index].kind != Home::Kind::kNone) {
      continue;
    }
    const bool is_copied = variable.space == Space::kParam && is_parameter(index) && taken[index];
    if (variable.register_index) {
      put(index, Home::Kind::kRegister, columns_[*variable.register_index]);
    } else if (variable.space == Space::kLocal || is_copied) {
      put(index, Home::Kind::kLocal, take(decoded.local_bytes, variable));
      decoded.local_alignment = std::max(decoded.local_alignment, variable.alignment);
    } else if (variable.space == Space::kParam) {
      put(index, Home::Kind::kFrame, take(decoded.frame_bytes, variable));
    } else {
      put(index, Home::Kind::kProgram,
          program.function_variables[entry.module][entry.function][index]);
    }
  }
  decoded.frame_bytes = round_up(decoded.frame_bytes, 16);
}

Passed Homes::passed(std::uint32_t variable) const {
  const Home& home = homes_[variable];
  switch (home.kind) {
  case Home::Kind::kFrame:
    return {Passed::Kind::kFrame, home.offset, home.size};
  case Home::Kind::kLocal:
    return {Passed::Kind::kLocal, home.offset, home.size};
  case Home::Kind::kRegister:
    return {Passed::Kind::kRegister, home.offset, home.size};
  default:
    return {};
  }
}

} // namespace gantry::simt::exec::interpreter
