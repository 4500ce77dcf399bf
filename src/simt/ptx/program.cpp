#include "simt/ptx/program.h"

#include "simt/ptx/call_interface.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gantry::simt::ptx {
namespace {

/// A symbol of one of the modules.
struct SymbolPlace {
  std::uint32_t module = 0;
  std::uint32_t symbol = 0;
};

/// What a linkage counts if several modules define a name.
int strength(Linkage linkage) {
  switch (linkage) {
  case Linkage::kVisible:
    return 3;
  case Linkage::kWeak:
    return 2;
  case Linkage::kCommon:
    return 1;
  case Linkage::kPrivate:
  case Linkage::kExtern:
    return 0;
  }
  return 0;
}

std::vector<std::uint64_t> sizes_of(const Function& function,
                                    const std::vector<std::uint32_t>& indices) {
  std::vector<std::uint64_t> sizes;
  for (const std::uint32_t index : indices) {
    sizes.push_back(function.variables[index].size());
  }
  return sizes;
}

/// Whether the declaration of a system call agrees with what the executor passes to it.
bool declared_right(const Function& function, SystemCall call) {
  const auto is = [&](const std::vector<std::uint64_t>& results,
                      const std::vector<std::uint64_t>& parameters) {
    return sizes_of(function, function.results) == results &&
           sizes_of(function, function.parameters) == parameters;
  };
  switch (call) {
  case SystemCall::kVprintf:
    return is({4}, {8, 8});
  case SystemCall::kMalloc:
    return is({8}, {8});
  case SystemCall::kFree:
    return is({}, {8});
  case SystemCall::kAssertfail:
    return is({}, {8, 8, 4, 8, 8});
  }
  return false;
}

template <typename Visitor>
void for_each_symbol(const Operand& operand, const Visitor& visit) {
  if (operand.kind == Operand::Kind::kSymbol) {
    visit(operand.index);
  }
  for (const Operand& member : operand.members) {
    for_each_symbol(member, visit);
  }
}

/// Calls `visit` with every symbol that code or an initial value of the module uses.
template <typename Visitor>
void for_each_use(const Module& module, const Visitor& visit) {
  const auto visit_values = [&](const Variable& variable) {
    for (const InitialValue& value : variable.initial) {
      if (value.symbol) {
        visit(*value.symbol);
      }
    }
  };
  std::ranges::for_each(module.variables, visit_values);
  for (const Function& function : module.functions) {
    std::ranges::for_each(function.variables, visit_values);
    for (const Instruction& instruction : function.instructions) {
      for (const Operand& operand : instruction.operands) {
        for_each_symbol(operand, visit);
        if (operand.kind == Operand::Kind::kCallTargets) {
          std::ranges::for_each(function.call_targets[operand.index], visit);
        }
      }
    }
  }
}

std::array<std::uint64_t, 2> hash_of(std::span<const std::unique_ptr<Module>> modules) {
  std::vector<XXH128_hash_t> texts;
  for (const std::unique_ptr<Module>& module : modules) {
    texts.push_back(XXH3_128bits(module->text.data(), module->text.size()));
  }
  const XXH128_hash_t all = XXH3_128bits(texts.data(), texts.size() * sizeof(XXH128_hash_t));
  return {all.low64, all.high64};
}

class Linker {
public:
  explicit Linker(std::vector<std::unique_ptr<Module>> modules)
      : program_(std::make_unique<Program>()) {
    program_->modules = std::move(modules);
  }

  tl::expected<std::unique_ptr<Program>, std::string> link() {
    collect_aliases();
    choose_definitions();
    resolve_symbols();
    report_unresolved();
    if (!errors_.empty()) {
      return tl::unexpected(fmt::format("{}", fmt::join(errors_, "\n")));
    }
    place_function_variables();
    enter_names();
    program_->hash = hash_of(program_->modules);
    return std::move(program_);
  }

private:
  [[nodiscard]] const Module& module(std::uint32_t index) const {
    return *program_->modules[index];
  }
  [[nodiscard]] std::uint32_t module_count() const {
    return static_cast<std::uint32_t>(program_->modules.size());
  }
  [[nodiscard]] const Symbol& symbol(SymbolPlace place) const {
    return module(place.module).symbols[place.symbol];
  }
  [[nodiscard]] const Variable& variable(SymbolPlace place) const {
    return module(place.module).variables[symbol(place).index];
  }
  [[nodiscard]] const Function& function(SymbolPlace place) const {
    return module(place.module).functions[symbol(place).index];
  }
  [[nodiscard]] bool is_function(SymbolPlace place) const {
    return symbol(place).kind == Symbol::Kind::kFunction;
  }

  template <typename... Arguments>
  void error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    constexpr std::size_t kMostErrors = 20;
    if (errors_.size() < kMostErrors) {
      errors_.push_back("nvlink error   : " +
                        fmt::format(format, std::forward<Arguments>(arguments)...));
    }
  }

  /// The linkage of an alias is that of its own declaration, which stays behind in functions.
  void collect_aliases() {
    alias_linkage_.resize(module_count());
    for (std::uint32_t index = 0; index < module_count(); ++index) {
      const Module& in = module(index);
      std::unordered_map<std::string_view, Linkage> aliases;
      for (const Symbol& candidate : in.symbols) {
        if (candidate.kind == Symbol::Kind::kFunction &&
            in.functions[candidate.index].name != candidate.name) {
          aliases.emplace(candidate.name, Linkage::kPrivate);
        }
      }
      for (const Function& declared : in.functions) {
        if (aliases.empty()) {
          break;
        }
        if (const auto alias = aliases.find(declared.name); alias != aliases.end()) {
          alias->second = declared.linkage;
        }
      }
      alias_linkage_[index] = std::move(aliases);
    }
  }

  [[nodiscard]] Linkage linkage(SymbolPlace place) const {
    const auto alias = alias_linkage_[place.module].find(symbol(place).name);
    if (alias != alias_linkage_[place.module].end()) {
      // An .extern declaration that is given a meaning here is seen by the others.
      return alias->second == Linkage::kExtern ? Linkage::kVisible : alias->second;
    }
    return is_function(place) ? function(place).linkage : variable(place).linkage;
  }
  [[nodiscard]] bool is_defined(SymbolPlace place) const {
    return is_function(place) ? function(place).is_defined
                              : variable(place).linkage != Linkage::kExtern;
  }

  template <typename Visitor>
  void for_each_place(const Visitor& visit) {
    for (std::uint32_t index = 0; index < module_count(); ++index) {
      for (std::uint32_t at = 0; at < module(index).symbols.size(); ++at) {
        visit(SymbolPlace{index, at});
      }
    }
  }

  void choose_definitions() {
    for_each_place([this](SymbolPlace place) {
      if (!is_defined(place) || linkage(place) == Linkage::kPrivate) {
        return;
      }
      const auto [entry, added] = definitions_.try_emplace(symbol(place).name, place);
      if (added) {
        return;
      }
      const SymbolPlace first = entry->second;
      const int weight = strength(linkage(place));
      const int first_weight = strength(linkage(first));
      if (weight == strength(Linkage::kVisible) && first_weight == weight) {
        error("Multiple definition of '{}' in '{}', first defined in '{}'", symbol(place).name,
              module(place.module).name, module(first.module).name);
      }
      const bool larger_common = weight == strength(Linkage::kCommon) && weight == first_weight &&
                                 variable(place).size() > variable(first).size();
      if (weight > first_weight || larger_common) {
        entry->second = place;
      }
    });
  }

  void resolve_symbols() {
    for (std::uint32_t index = 0; index < module_count(); ++index) {
      program_->symbols.emplace_back(module(index).symbols.size());
      own_functions_.emplace_back(module(index).functions.size(), Program::kNoStorage);
      own_variables_.emplace_back(module(index).variables.size(), Program::kNoStorage);
    }
    for_each_place([this](SymbolPlace place) {
      program_->symbols[place.module][place.symbol] = resolve(place);
    });
  }

  Target resolve(SymbolPlace place) {
    if (linkage(place) == Linkage::kPrivate && is_defined(place)) {
      return own(place);
    }
    if (linkage(place) != Linkage::kPrivate) {
      const auto definition = definitions_.find(symbol(place).name);
      if (definition != definitions_.end()) {
        check_against(place, definition->second);
        return own(definition->second);
      }
    }
    if (!is_function(place) && variable(place).space == Space::kShared &&
        variable(place).count == 0) {
      return own(place);
    }
    const auto call = is_function(place) ? system_call_named(symbol(place).name) : std::nullopt;
    return call ? system_call(place, *call)
                : Target{is_function(place) ? Target::Kind::kFunction : Target::Kind::kVariable,
                         Program::kNoStorage};
  }

  void check_against(SymbolPlace place, SymbolPlace definition) {
    const std::string_view name = symbol(place).name;
    const std::string_view here = module(place.module).name;
    const std::string_view there = module(definition.module).name;
    if (is_function(place) != is_function(definition)) {
      error("'{}' is a function in '{}' and a variable in '{}'", name,
            is_function(place) ? here : there, is_function(place) ? there : here);
    } else if (is_function(place)) {
      if (function(place).is_entry != function(definition).is_entry ||
          !same_interface(function(place), function(definition))) {
        error("Inconsistent prototypes of '{}' in '{}' and '{}'", name, here, there);
      }
    } else if (variable(place).space != variable(definition).space) {
      error("'{}' in '{}' is in another state space than in '{}'", name, here, there);
    } else if (variable(place).size() > variable(definition).size()) {
      error("'{}' has {} bytes in '{}', but only {} where it is defined, in '{}'", name,
            variable(place).size(), here, variable(definition).size(), there);
    }
  }

  /// The program's function or variable for a definition of a module.
  Target own(SymbolPlace place) {
    const std::uint32_t index = symbol(place).index;
    if (is_function(place)) {
      std::uint32_t& known = own_functions_[place.module][index];
      if (known == Program::kNoStorage) {
        known = static_cast<std::uint32_t>(program_->functions.size());
        program_->functions.push_back({place.module, index, std::nullopt});
      }
      return {Target::Kind::kFunction, known};
    }
    std::uint32_t& known = own_variables_[place.module][index];
    if (known == Program::kNoStorage) {
      known = add_variable(place.module, variable(place));
    }
    return {Target::Kind::kVariable, known};
  }

  std::uint32_t add_variable(std::uint32_t in_module, const Variable& added) {
    program_->variables.push_back({in_module, &added, added.name, added.space,
                                   added.space == Space::kShared && added.count == 0});
    return static_cast<std::uint32_t>(program_->variables.size()) - 1;
  }

  Target system_call(SymbolPlace place, SystemCall call) {
    if (!declared_right(function(place), call)) {
      error("Inconsistent prototype of '{}' in '{}'", symbol(place).name,
            module(place.module).name);
    }
    const auto known = std::ranges::find(program_->functions, call, &ProgramFunction::system_call);
    const auto index = static_cast<std::uint32_t>(known - program_->functions.begin());
    if (known == program_->functions.end()) {
      program_->functions.push_back({place.module, symbol(place).index, call});
    }
    return {Target::Kind::kFunction, index};
  }

  /// A name that is only declared and never used needs no definition.
  void report_unresolved() {
    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> unresolved;
    for (std::uint32_t index = 0; index < module_count(); ++index) {
      const auto& targets = program_->symbols[index];
      if (std::ranges::none_of(
              targets, [](const Target& target) { return target.index == Program::kNoStorage; })) {
        continue;
      }
      for_each_use(module(index), [&](std::uint32_t used) {
        if (targets[used].index != Program::kNoStorage) {
          return;
        }
        const std::string_view name = module(index).symbols[used].name;
        const auto [entry, added] = places.try_emplace(name, unresolved.size());
        if (added) {
          unresolved.emplace_back(name, std::vector<std::string_view>());
        }
        std::vector<std::string_view>& users = unresolved[entry->second].second;
        if (users.empty() || users.back() != module(index).name) {
          users.push_back(module(index).name);
        }
      });
    }
    for (const auto& [name, users] : unresolved) {
      error("Unresolved extern symbol '{}' in '{}'", name, fmt::join(users, "', '"));
    }
  }

  void place_function_variables() {
    for (std::uint32_t index = 0; index < module_count(); ++index) {
      auto& of_module = program_->function_variables.emplace_back();
      for (std::uint32_t at = 0; at < module(index).functions.size(); ++at) {
        const Function& in = module(index).functions[at];
        auto& indices = of_module.emplace_back(in.variables.size(), Program::kNoStorage);
        if (own_functions_[index][at] == Program::kNoStorage) {
          continue;
        }
        for (std::size_t number = 0; number < in.variables.size(); ++number) {
          const Space space = in.variables[number].space;
          if (space == Space::kGlobal || space == Space::kConst || space == Space::kShared) {
            indices[number] = add_variable(index, in.variables[number]);
          }
        }
      }
    }
  }

  /// Names that modules share go before private ones, variables that the host can reach before
  /// others.
  void enter_names() {
    for (const bool shared_space : {false, true}) {
      for (const bool of_one_module : {false, true}) {
        for_each_place([&](SymbolPlace place) {
          const Target target = program_->symbols[place.module][place.symbol];
          if ((linkage(place) == Linkage::kPrivate) == of_one_module &&
              target.index != Program::kNoStorage) {
            enter_name(symbol(place).name, target, shared_space);
          }
        });
      }
    }
  }

  void enter_name(std::string_view name, Target target, bool shared_space) {
    if (target.kind == Target::Kind::kVariable) {
      if ((program_->variables[target.index].space == Space::kShared) == shared_space) {
        program_->variable_names.emplace(name, target.index);
      }
    } else if (program_->definition(target.index).is_entry) {
      program_->entry_names.emplace(name, target.index);
    }
  }

  std::unique_ptr<Program> program_;
  std::vector<std::unordered_map<std::string_view, Linkage>> alias_linkage_; ///< by module
  std::unordered_map<std::string_view, SymbolPlace> definitions_;
  /// By module and index there: index in the program, or kNoStorage.
  std::vector<std::vector<std::uint32_t>> own_functions_;
  std::vector<std::vector<std::uint32_t>> own_variables_;
  std::vector<std::string> errors_;
};

std::optional<std::uint32_t>
find_name(const std::unordered_map<std::string_view, std::uint32_t>& names, std::string_view name) {
  const auto found = names.find(name);
  return found != names.end() ? std::optional(found->second) : std::nullopt;
}

} // namespace

std::optional<SystemCall> system_call_named(std::string_view name) {
  constexpr std::pair<std::string_view, SystemCall> kCalls[] = {
      {"vprintf", SystemCall::kVprintf},
      {"malloc", SystemCall::kMalloc},
      {"free", SystemCall::kFree},
      {"__assertfail", SystemCall::kAssertfail},
  };
  for (const auto& [call_name, call] : kCalls) {
    if (call_name == name) {
      return call;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Program::find_entry(std::string_view name) const {
  return find_name(entry_names, name);
}

std::optional<std::uint32_t> Program::find_variable(std::string_view name) const {
  return find_name(variable_names, name);
}

tl::expected<std::unique_ptr<Program>, std::string>
link(std::vector<std::unique_ptr<Module>> modules) {
  return Linker(std::move(modules)).link();
}

} // namespace gantry::simt::ptx
