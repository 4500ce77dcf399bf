#include "simt/ptx/instruction.h"

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
