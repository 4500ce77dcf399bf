#include "simt/ptx/instruction.h"

#include <algorithm>
#include <string_view>

namespace gantry::simt::ptx {

Space accessed_space(const Instruction& instruction) {
  struct Row {
    Modifier modifier;
    Space space;
  };
  static constexpr Row kRows[] = {
      {Modifier::kGlobal, Space::kGlobal},    {Modifier::kShared, Space::kShared},
      {Modifier::kSharedCta, Space::kShared}, {Modifier::kSharedCluster, Space::kShared},
      {Modifier::kLocal, Space::kLocal},      {Modifier::kConst, Space::kConst},
      {Modifier::kParam, Space::kParam},      {Modifier::kParamEntry, Space::kParam},
      {Modifier::kParamFunc, Space::kParam},
  };
  for (const Row& row : kRows) {
    if (instruction.has(row.modifier)) {
      return row.space;
    }
  }
  return Space::kGeneric;
}

unsigned vector_length(const Instruction& instruction) {
  return instruction.has(Modifier::kV8)   ? 8
         : instruction.has(Modifier::kV4) ? 4
         : instruction.has(Modifier::kV2) ? 2
                                          : 1;
}

MatrixShape matrix_shape(const Instruction& instruction) {
  struct Row {
    Modifier modifier;
    MatrixShape shape;
  };
  static constexpr Row kRows[] = {
      {Modifier::kM8n8k4, {8, 8, 4}},       {Modifier::kM8n8k16, {8, 8, 16}},
      {Modifier::kM8n8k32, {8, 8, 32}},     {Modifier::kM8n8k128, {8, 8, 128}},
      {Modifier::kM16n8k4, {16, 8, 4}},     {Modifier::kM16n8k8, {16, 8, 8}},
      {Modifier::kM16n8k16, {16, 8, 16}},   {Modifier::kM16n8k32, {16, 8, 32}},
      {Modifier::kM16n8k64, {16, 8, 64}},   {Modifier::kM16n8k128, {16, 8, 128}},
      {Modifier::kM16n8k256, {16, 8, 256}},
  };
  for (const Row& row : kRows) {
    if (instruction.has(row.modifier)) {
      MatrixShape shape = row.shape;
      // The first tensor cores' shape, of quarters of a warp.
      const bool of_quarters =
          row.modifier == Modifier::kM8n8k4 && instruction.type(1) == Type::kF16;
      shape.products = of_quarters ? 4 : 1;
      return shape;
    }
  }
  return {};
}

std::optional<MatrixLayouts> matrix_layouts(const Instruction& instruction) {
  // Modifiers are a set; their order is in the name.
  std::vector<bool> by_columns;
  std::string_view rest = instruction.name;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const std::string_view word = rest.substr(0, end);
    if (word == "row" || word == "col") {
      by_columns.push_back(word == "col");
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (by_columns.size() != 2) {
    return std::nullopt;
  }
  return MatrixLayouts{by_columns[0], by_columns[1]};
}

unsigned matrix_count(const Instruction& instruction) {
  return instruction.has(Modifier::kX4) ? 4 : instruction.has(Modifier::kX2) ? 2 : 1;
}

unsigned fragment_registers(const Instruction& instruction, unsigned operand) {
  if (instruction.opcode != Opcode::k_mma) {
    return matrix_count(instruction);
  }
  constexpr unsigned kThreads = 32;
  const MatrixShape shape = matrix_shape(instruction);
  const Type type = instruction.type(operand);
  const unsigned elements = operand == 1   ? shape.rows * shape.depth
                            : operand == 2 ? shape.depth * shape.columns
                                           : shape.rows * shape.columns;
  const unsigned register_bits = type == Type::kF64 ? 64 : 32;
  return shape.products * elements * element_bits(type) / (kThreads * register_bits);
}

std::vector<Operand> elements_of(const Operand& operand, const Function& function) {
  if (operand.kind == Operand::Kind::kVector) {
    return operand.members;
  }
  if (operand.kind != Operand::Kind::kRegister || operand.element != Operand::kWhole) {
    return {operand};
  }
  std::vector<Operand> elements(function.registers[operand.index].vector, operand);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i].element = static_cast<std::uint8_t>(i);
  }
  return elements;
}

} // namespace gantry::simt::ptx
