#include "simt/ptx/call_interface.h"

#include <algorithm>

namespace gantry::simt::ptx {

namespace {

std::vector<PassedValue> passed_as(const Function& function,
                                   const std::vector<std::uint32_t>& indices) {
  std::vector<PassedValue> list;
  for (const std::uint32_t index : indices) {
    list.push_back(ptx::passed_as(function.variables[index]));
  }
  return list;
}

std::vector<PassedValue> passed_as(const std::vector<Variable>& variables) {
  std::vector<PassedValue> list;
  for (const Variable& variable : variables) {
    list.push_back(ptx::passed_as(variable));
  }
  return list;
}

} // namespace

PassedValue passed_as(const Variable& variable) {
  return {variable.size(), !variable.is_array && variable.size() <= 8};
}

bool same_interface(const Function& left, const Function& right) {
  const auto same = [&](const std::vector<std::uint32_t>& left_indices,
                        const std::vector<std::uint32_t>& right_indices) {
    return std::ranges::equal(
        left_indices, right_indices, [&](std::uint32_t left_index, std::uint32_t right_index) {
          return left.variables[left_index].size() == right.variables[right_index].size();
        });
  };
  return same(left.results, right.results) && same(left.parameters, right.parameters);
}

ParameterLayout layout_of_parameters(const Function& kernel) {
  ParameterLayout layout;
  for (const std::uint32_t index : kernel.parameters) {
    const Variable& parameter = kernel.variables[index];
    layout.offsets.push_back((layout.bytes + parameter.alignment - 1) / parameter.alignment *
                             parameter.alignment);
    layout.bytes = layout.offsets.back() + parameter.size();
  }
  return layout;
}

std::uint64_t CallInterface::signature() const {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325; // FNV-1a over 64-bit units
  const auto add = [&](std::uint64_t unit) { hash = (hash ^ unit) * 0x0000'0100'0000'01B3; };
  for (const std::vector<PassedValue>* list : {&parameters, &results}) {
    add(list->size());
    for (const PassedValue& passed : *list) {
      add(passed.size * 2 + (passed.is_scalar ? 1 : 0));
    }
  }
  return hash;
}

CallInterface interface_of(const Function& function) {
  return {passed_as(function, function.parameters), passed_as(function, function.results),
          function.noreturn};
}

CallInterface interface_of_call(const Program& program, std::uint32_t caller,
                                const Instruction& call) {
  const Function& from = program.definition(caller);
  const std::vector<Target>& symbols = program.symbols[program.functions[caller].module];
  const Operand& target = call.operands[1];
  const Operand& described = call.operands[3];
  if (target.kind == Operand::Kind::kSymbol) {
    return interface_of(program.definition(symbols[target.index].index));
  }
  if (described.kind == Operand::Kind::kPrototype) {
    const Prototype& prototype = from.prototypes[described.index];
    return {passed_as(prototype.parameters), passed_as(prototype.results), prototype.noreturn};
  }
  if (described.kind == Operand::Kind::kCallTargets &&
      !from.call_targets[described.index].empty()) {
    const std::uint32_t first = from.call_targets[described.index].front();
    return interface_of(program.definition(symbols[first].index));
  }
  return {};
}

} // namespace gantry::simt::ptx
