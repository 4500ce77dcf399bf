#include "simt/ptx/fuzz/exercise.h"

#include "simt/ptx/parser.h"
#include "simt/ptx/program.h"

#include <algorithm>
#include <cstdlib>

namespace gantry::simt::ptx {
namespace {

void require(bool invariant) {
  if (!invariant) {
    std::abort();
  }
}

bool points_into(std::string_view view, const std::string& text) {
  return view.empty() ||
         (view.data() >= text.data() && view.data() + view.size() <= text.data() + text.size());
}

/// What a reader of a module relies on.
class ModuleCheck {
public:
  explicit ModuleCheck(const Module& module) : module_(module) {}

  void run() const {
    for (const Symbol& symbol : module_.symbols) {
      require(points_into(symbol.name, module_.text) && !symbol.name.empty());
      require(symbol.index < (symbol.kind == Symbol::Kind::kFunction ? module_.functions.size()
                                                                     : module_.variables.size()));
    }
    std::ranges::for_each(module_.variables, [this](const Variable& variable) { check(variable); });
    std::ranges::for_each(module_.functions, [this](const Function& function) { check(function); });
  }

private:
  void check(const Variable& variable) const {
    require(points_into(variable.name, module_.text));
    require(variable.alignment != 0 && (variable.alignment & (variable.alignment - 1)) == 0);
    require(variable.size() <= 1ULL << 40U);
    require(variable.initial.size() <= variable.count * variable.vector);
    for (const InitialValue& value : variable.initial) {
      require(!value.symbol || *value.symbol < module_.symbols.size());
    }
  }

  void check(const Function& function) const {
    require(points_into(function.name, module_.text));
    std::ranges::for_each(function.variables,
                          [this](const Variable& variable) { check(variable); });
    for (const std::vector<std::uint32_t>* indices : {&function.results, &function.parameters}) {
      for (const std::uint32_t index : *indices) {
        const Variable& variable = function.variables.at(index);
        require(variable.register_index.has_value() == (variable.space == Space::kRegister));
        require(!variable.register_index || *variable.register_index < function.registers.size());
      }
    }
    for (const Label& label : function.labels) {
      require(label.instruction <= function.instructions.size());
    }
    for (const Register& reg : function.registers) {
      require(points_into(reg.name, module_.text));
    }
    for (const Instruction& instruction : function.instructions) {
      check(function, instruction);
    }
  }

  void check(const Function& function, const Instruction& instruction) const {
    require(points_into(instruction.name, module_.text));
    require(instruction.source <= function.sources.size());
    require(instruction.location.line != 0 && instruction.location.column != 0);
    require(!instruction.guard ||
            function.registers.at(instruction.guard->register_index).type == Type::kPred);
    if (instruction.opcode == Opcode::k_call && !instruction.unknown_modifier) {
      require(instruction.operands.size() == 4);
      require(instruction.operands[0].kind == Operand::Kind::kVector &&
              instruction.operands[2].kind == Operand::Kind::kVector);
    }
    for (const Operand& operand : instruction.operands) {
      check(function, operand);
    }
  }

  void check(const Function& function, const Operand& operand) const {
    switch (operand.kind) {
    case Operand::Kind::kRegister: {
      const Register& reg = function.registers.at(operand.index);
      require(operand.element == Operand::kWhole || operand.element < reg.vector);
      break;
    }
    case Operand::Kind::kVariable:
      require(operand.index < function.variables.size());
      break;
    case Operand::Kind::kSymbol:
      require(operand.index < module_.symbols.size());
      break;
    case Operand::Kind::kLabel:
      require(operand.index < function.labels.size());
      break;
    case Operand::Kind::kPrototype:
      require(operand.index < function.prototypes.size());
      break;
    case Operand::Kind::kLabelList:
      for (const std::uint32_t index : function.label_lists.at(operand.index)) {
        require(index < function.labels.size());
      }
      break;
    case Operand::Kind::kCallTargets:
      for (const std::uint32_t index : function.call_targets.at(operand.index)) {
        require(index < module_.symbols.size());
      }
      break;
    case Operand::Kind::kAddress:
      require(operand.members.size() == 1);
      break;
    case Operand::Kind::kPair:
      require(operand.members.size() == 2);
      break;
    default:
      break;
    }
    for (const Operand& member : operand.members) {
      check(function, member);
    }
  }

  const Module& module_;
};

void check(const Program& program) {
  require(program.symbols.size() == program.modules.size());
  require(program.function_variables.size() == program.modules.size());
  for (const ProgramFunction& function : program.functions) {
    const Function& definition =
        program.modules.at(function.module)->functions.at(function.function);
    require(definition.is_defined != function.system_call.has_value());
  }
  for (const auto& [name, entry] : program.entry_names) {
    require(program.definition(entry).is_entry);
    const Reachable reachable = reachable_from(program, entry);
    require(reachable.functions.front() == entry);
    for (const std::uint32_t function : reachable.functions) {
      require(function < program.functions.size());
    }
    for (const Reachable::Shared& shared : reachable.shared) {
      const ProgramVariable& variable = program.variables.at(shared.variable);
      require(variable.space == Space::kShared);
      require(variable.dynamic_shared == (shared.offset == reachable.static_shared) ||
              variable.variable->size() == 0 || reachable.static_shared == UINT32_MAX);
    }
  }
}

} // namespace

void exercise(std::string_view text) {
  std::vector<std::unique_ptr<Module>> modules;
  while (true) {
    const std::size_t end = std::min(text.find('\x01'), text.size());
    auto module = parse(std::string(text.substr(0, end)), "fuzz");
    if (module) {
      ModuleCheck(**module).run();
      modules.push_back(std::move(*module));
    } else {
      require(!module.error().message.empty() && module.error().location.line != 0);
      require(!module.error().text("fuzz").empty());
    }
    if (end == text.size()) {
      break;
    }
    text.remove_prefix(end + 1);
  }
  const auto program = link(std::move(modules));
  if (program) {
    check(**program);
  } else {
    require(!program.error().empty());
  }
}

} // namespace gantry::simt::ptx
