// reachable_from: which functions and variables a launch of a kernel may use, and where the shared
// ones of them lie in a block's shared memory.

#include "simt/ptx/program.h"

#include <algorithm>

namespace gantry::simt::ptx {
namespace {

constexpr std::uint64_t kMaxShared = UINT32_MAX;
constexpr std::uint32_t kDynamicAlignment = 16;

std::uint64_t align_up(std::uint64_t offset, std::uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Follows calls, addresses of functions and variables until nothing new comes up.
class CallGraphWalk {
public:
  explicit CallGraphWalk(const Program& program)
      : program_(program), function_seen_(program.functions.size()),
        variable_seen_(program.variables.size()) {}

  Reachable find(std::uint32_t entry) {
    reach_function(entry);
    for (std::size_t next = 0; next < reachable_.functions.size(); ++next) {
      scan_function(program_.functions[reachable_.functions[next]]);
      reachable_.direct = next == 0 ? reachable_.functions.size() : reachable_.direct;
    }
    lay_out_shared();
    return std::move(reachable_);
  }

private:
  void reach_function(std::uint32_t index) {
    if (!function_seen_[index]) {
      function_seen_[index] = true;
      reachable_.functions.push_back(index);
    }
  }

  /// Variables that hold addresses of others are gone through at once, with a list of those to do.
  void reach_variable(std::uint32_t index) {
    std::vector<std::uint32_t> to_do = {index};
    while (!to_do.empty()) {
      const std::uint32_t next = to_do.back();
      to_do.pop_back();
      if (variable_seen_[next]) {
        continue;
      }
      variable_seen_[next] = true;
      const ProgramVariable& variable = program_.variables[next];
      for (const InitialValue& value : variable.variable->initial) {
        if (!value.symbol) {
          continue;
        }
        const Target target = program_.symbols[variable.module][*value.symbol];
        if (target.kind == Target::Kind::kVariable) {
          to_do.push_back(target.index);
        } else {
          reach_function(target.index);
        }
      }
    }
  }

  void reach_symbol(std::uint32_t module, std::uint32_t symbol) {
    const Target target = program_.symbols[module][symbol];
    if (target.kind == Target::Kind::kVariable) {
      reach_variable(target.index);
    } else {
      reach_function(target.index);
    }
  }

  /// A call through a pointer may be of any function that some variable names: the host can have
  /// read it there, and have handed it to the kernel.
  void reach_what_variables_name() {
    for (std::uint32_t index = 0; index < program_.variables.size(); ++index) {
      const ProgramVariable& variable = program_.variables[index];
      for (const InitialValue& value : variable.variable->initial) {
        if (value.symbol &&
            program_.symbols[variable.module][*value.symbol].kind != Target::Kind::kVariable) {
          reach_symbol(variable.module, *value.symbol);
        }
      }
    }
  }

  void scan_function(const ProgramFunction& scanned) {
    if (scanned.system_call) {
      return;
    }
    const Function& function = program_.modules[scanned.module]->functions[scanned.function];
    for (const std::uint32_t variable :
         program_.function_variables[scanned.module][scanned.function]) {
      if (variable != Program::kNoStorage) {
        reach_variable(variable);
      }
    }
    for (const Instruction& instruction : function.instructions) {
      for (const Operand& operand : instruction.operands) {
        scan_operand(scanned.module, operand);
        if (operand.kind == Operand::Kind::kCallTargets) {
          for (const std::uint32_t symbol : function.call_targets[operand.index]) {
            reach_symbol(scanned.module, symbol);
          }
        }
      }
    }
  }

  void scan_operand(std::uint32_t module, const Operand& operand) {
    if (operand.kind == Operand::Kind::kSymbol) {
      reach_symbol(module, operand.index);
    }
    if (operand.kind == Operand::Kind::kPrototype && !calls_pointers_) {
      calls_pointers_ = true;
      reach_what_variables_name();
    }
    for (const Operand& member : operand.members) {
      scan_operand(module, member);
    }
  }

  /// Sums that 32 bits cannot hold become the greatest number that they can: far beyond what a
  /// block may have, so that the launch is refused.
  void lay_out_shared() {
    std::uint64_t end = 0;
    std::uint32_t dynamic_alignment = 1;
    std::vector<std::uint32_t> dynamic;
    for (std::uint32_t index = 0; index < program_.variables.size(); ++index) {
      const ProgramVariable& variable = program_.variables[index];
      if (!variable_seen_[index] || variable.space != Space::kShared) {
        continue;
      }
      const std::uint32_t alignment = variable.variable->alignment;
      if (variable.dynamic_shared) {
        dynamic_alignment = std::max({dynamic_alignment, alignment, kDynamicAlignment});
        dynamic.push_back(index);
        continue;
      }
      const std::uint64_t offset = align_up(end, alignment);
      reachable_.shared.push_back(
          {index, static_cast<std::uint32_t>(std::min(offset, kMaxShared))});
      end = std::min(offset + variable.variable->size(), kMaxShared);
    }
    end = std::min(align_up(end, dynamic_alignment), kMaxShared);
    reachable_.static_shared = static_cast<std::uint32_t>(end);
    for (const std::uint32_t index : dynamic) {
      reachable_.shared.push_back({index, reachable_.static_shared});
    }
  }

  const Program& program_;
  Reachable reachable_;
  std::vector<bool> function_seen_;
  std::vector<bool> variable_seen_;
  bool calls_pointers_ = false; ///< something reached calls through a pointer
};

} // namespace

Reachable reachable_from(const Program& program, std::uint32_t entry) {
  return CallGraphWalk(program).find(entry);
}

} // namespace gantry::simt::ptx
