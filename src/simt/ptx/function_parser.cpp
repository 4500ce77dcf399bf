#include "simt/ptx/function_parser.h"

#include "simt/ptx/small_directives.h"

#include <algorithm>

#include <fmt/format.h>

namespace gantry::simt::ptx {
namespace {

constexpr std::size_t kMaxScopes = 256;
constexpr std::uint32_t kMaxVariableRange = 1024;
/// A variable is as large as several registers.
constexpr std::uint64_t kVariableCharge = 8;

std::uint32_t count_of(const auto& container) {
  return static_cast<std::uint32_t>(container.size());
}

/// Whether `a[3]` is the memory of that element; elsewhere it is the element's address.
bool accesses_elements(Opcode opcode) {
  return opcode != Opcode::k_mov && opcode != Opcode::k_cvta;
}

/// [base]
Operand address_at(Operand base) {
  Operand address;
  address.kind = Operand::Kind::kAddress;
  std::swap(address.value, base.value);
  address.members.push_back(std::move(base));
  return address;
}

} // namespace

bool FunctionParser::parse_body() {
  if (!enter_scope() || !declare_interface() || !cursor_.expect('{')) {
    return false;
  }
  while (scopes_.depth() != 0) {
    if (!parse_statement()) {
      return false;
    }
  }
  return true;
}

bool FunctionParser::declare(std::string_view name, ScopeTable::Kind kind, std::uint32_t index,
                             Location location) {
  return scopes_.declare(name, {kind, index}) ||
         cursor_.fail(location,
                      fmt::format("Duplicate definition of {} '{}'",
                                  kind == ScopeTable::Kind::kLabel ? "label" : "variable", name));
}

bool FunctionParser::declare_interface() {
  for (std::uint32_t index = 0; index < function_.variables.size(); ++index) {
    Variable& variable = function_.variables[index];
    if (variable.name.empty() || variable.name == "_") {
      return cursor_.fail(variable.location, "Illegal parameter name '_'");
    }
    const auto kind =
        variable.register_index ? ScopeTable::Kind::kRegister : ScopeTable::Kind::kVariable;
    if (!declare(variable.name, kind, variable.register_index.value_or(index), variable.location)) {
      return false;
    }
  }
  return true;
}

bool FunctionParser::enter_scope() {
  if (scopes_.depth() == kMaxScopes) {
    return cursor_.fail("Blocks are nested too deeply");
  }
  scopes_.enter();
  pending_begin_.push_back(pending_.size());
  return true;
}

bool FunctionParser::leave_scope() {
  const std::size_t begin = pending_begin_.back();
  std::size_t kept = begin;
  for (std::size_t index = begin; index < pending_.size(); ++index) {
    const PendingTarget target = pending_[index];
    if (const auto found = scopes_.find_innermost(target.name)) {
      if (!resolve(target, *found)) {
        return false;
      }
    } else {
      pending_[kept++] = target;
    }
  }
  pending_.resize(kept);
  pending_begin_.pop_back();
  scopes_.leave();
  return scopes_.depth() != 0 || std::ranges::all_of(pending_, [this](const PendingTarget& target) {
           return resolve_jump_table(target);
         });
}

bool FunctionParser::resolve(const PendingTarget& target, ScopeTable::Name found) {
  using Kind = ScopeTable::Kind;
  Operand::Kind operand_kind = Operand::Kind::kLabel;
  bool fits = false;
  switch (target.use) {
  case PendingTarget::Use::kBranch:
  case PendingTarget::Use::kBranchList:
    fits = found.kind == Kind::kLabel;
    break;
  case PendingTarget::Use::kIndexedBranch:
    fits = found.kind == Kind::kBranchTargets;
    operand_kind = Operand::Kind::kLabelList;
    break;
  case PendingTarget::Use::kCall:
    fits = found.kind == Kind::kCallTargets || found.kind == Kind::kPrototype;
    operand_kind =
        found.kind == Kind::kPrototype ? Operand::Kind::kPrototype : Operand::Kind::kCallTargets;
    break;
  }
  if (!fits) {
    return cursor_.fail(target.location,
                        fmt::format("'{}' is not a label that can stand here", target.name));
  }
  if (target.use == PendingTarget::Use::kBranchList) {
    function_.label_lists[target.owner][target.position] = found.index;
    return true;
  }
  Operand& operand = function_.instructions[target.owner].operands[target.position];
  operand.kind = operand_kind;
  operand.index = found.index;
  return true;
}

bool FunctionParser::resolve_jump_table(const PendingTarget& target) {
  const auto symbol = context_.find_symbol(target.name);
  if (target.use != PendingTarget::Use::kCall || !symbol) {
    return cursor_.fail(target.location, fmt::format("Unknown symbol '{}'", target.name));
  }
  const Module& module = context_.module;
  std::vector<std::uint32_t> functions;
  if (module.symbols[*symbol].kind == Symbol::Kind::kVariable) {
    for (const InitialValue& value : module.variables[module.symbols[*symbol].index].initial) {
      if (value.symbol && module.symbols[*value.symbol].kind == Symbol::Kind::kFunction) {
        functions.push_back(*value.symbol);
      }
    }
  }
  if (functions.empty()) {
    return cursor_.fail(
        target.location,
        fmt::format("'{}' is no call prototype and no list of functions", target.name));
  }
  function_.call_targets.push_back(std::move(functions));
  return resolve(target, {ScopeTable::Kind::kCallTargets, count_of(function_.call_targets) - 1});
}

bool FunctionParser::parse_statement() {
  switch (cursor_.token().kind) {
  case TokenKind::kDotWord:
    return parse_directive();
  case TokenKind::kIdentifier: {
    const Token name = cursor_.token();
    cursor_.next();
    return cursor_.accept(':') ? parse_labelled(name.text, name.location)
                               : parse_instruction(name.text, name.location, std::nullopt);
  }
  default:
    if (cursor_.at('{')) {
      return enter_scope() && cursor_.expect('{');
    }
    if (cursor_.accept('}')) {
      return leave_scope();
    }
    return cursor_.at('@') ? parse_guarded() : cursor_.syntax_error("a statement");
  }
}

bool FunctionParser::parse_directive() {
  const Directive directive = directive_named(cursor_.token().text);
  if (const auto space = space_of(directive)) {
    return parse_variables(*space);
  }
  switch (directive) {
  case Directive::kLoc: {
    SourcePosition position;
    if (!parse_loc(cursor_, position)) {
      return false;
    }
    function_.sources.push_back(position);
    source_ = count_of(function_.sources);
    return true;
  }
  case Directive::kFile:
    return parse_file(context_);
  case Directive::kPragma:
    return skip_pragma(cursor_);
  case Directive::kUnknown:
    context_.skip_word();
    return cursor_.skip_statement();
  default:
    return cursor_.syntax_error("a statement");
  }
}

bool FunctionParser::parse_labelled(std::string_view name, Location location) {
  switch (cursor_.at(TokenKind::kDotWord) ? directive_named(cursor_.token().text)
                                          : Directive::kUnknown) {
  case Directive::kBranchtargets:
    return parse_branch_targets(name, location);
  case Directive::kCalltargets:
    return parse_call_targets(name, location);
  case Directive::kCallprototype:
    return parse_prototype(name, location);
  default:
    function_.labels.push_back({name, count_of(function_.instructions)});
    return declare(name, ScopeTable::Kind::kLabel, count_of(function_.labels) - 1, location);
  }
}

bool FunctionParser::parse_branch_targets(std::string_view name, Location location) {
  cursor_.next();
  const std::uint32_t list = count_of(function_.label_lists);
  std::vector<std::uint32_t>& labels = function_.label_lists.emplace_back();
  do {
    PendingTarget target{
        PendingTarget::Use::kBranchList, {}, cursor_.token().location, list, count_of(labels)};
    if (!cursor_.expect_name(target.name, "a label")) {
      return false;
    }
    labels.push_back(0);
    pending_.push_back(target);
  } while (cursor_.accept(','));
  return cursor_.expect(';') && declare(name, ScopeTable::Kind::kBranchTargets, list, location);
}

bool FunctionParser::parse_call_targets(std::string_view name, Location location) {
  cursor_.next();
  std::vector<std::uint32_t> functions;
  do {
    Operand target;
    const Location target_location = cursor_.token().location;
    if (!operands_.parse_call_target(target)) {
      return false;
    }
    if (target.kind != Operand::Kind::kSymbol) {
      return cursor_.fail(target_location, "Function expected in a list of call targets");
    }
    functions.push_back(target.index);
  } while (cursor_.accept(','));
  function_.call_targets.push_back(std::move(functions));
  return cursor_.expect(';') && declare(name, ScopeTable::Kind::kCallTargets,
                                        count_of(function_.call_targets) - 1, location);
}

bool FunctionParser::parse_prototype(std::string_view name, Location location) {
  cursor_.next();
  Prototype prototype;
  if (cursor_.at('(') && !parse_parameters(context_, prototype.results, true)) {
    return false;
  }
  // The place of a function's name: `_`, which old producers leave out where there are no results.
  if (cursor_.at(TokenKind::kIdentifier)) {
    cursor_.next();
  }
  if (cursor_.at('(') && !parse_parameters(context_, prototype.parameters, true)) {
    return false;
  }
  while (cursor_.at(TokenKind::kDotWord)) {
    const Directive directive = directive_named(cursor_.token().text);
    prototype.noreturn |= directive == Directive::kNoreturn;
    if (directive != Directive::kNoreturn && directive != Directive::kPerformance) {
      return cursor_.syntax_error("';'");
    }
    cursor_.next();
    if (!skip_numbers(cursor_)) {
      return false;
    }
  }
  function_.prototypes.push_back(std::move(prototype));
  return cursor_.expect(';') &&
         declare(name, ScopeTable::Kind::kPrototype, count_of(function_.prototypes) - 1, location);
}

bool FunctionParser::parse_variables(Space space) {
  cursor_.next();
  Variable type;
  type.space = space;
  if (!parse_type(context_, type)) {
    return false;
  }
  do {
    Declarator declarator;
    if (!parse_declarator(context_, type, declarator) ||
        !(declarator.is_range ? declare_range(declarator) : add_variable(declarator))) {
      return false;
    }
  } while (cursor_.accept(','));
  return cursor_.expect(';');
}

bool FunctionParser::declare_range(const Declarator& declarator) {
  const Variable& variable = declarator.variable;
  const bool is_register = variable.space == Space::kRegister;
  const std::uint32_t first =
      is_register ? count_of(function_.registers) : count_of(function_.variables);
  if (!is_register && declarator.range > kMaxVariableRange) {
    return cursor_.fail(variable.location, fmt::format("More than {} variables '{}'",
                                                       kMaxVariableRange, variable.name));
  }
  if (!context_.charge(declarator.range * (is_register ? 1 : kVariableCharge), variable.location)) {
    return false;
  }
  const ScopeTable::Kind kind =
      is_register ? ScopeTable::Kind::kRegister : ScopeTable::Kind::kVariable;
  if (!scopes_.declare_range(variable.name, declarator.range, {kind, first})) {
    return cursor_.fail(variable.location, fmt::format("Duplicate definition of variables '{}<{}>'",
                                                       variable.name, declarator.range));
  }
  if (is_register) {
    function_.registers.resize(first + declarator.range,
                               {variable.name, variable.type, variable.vector});
  } else {
    function_.variables.resize(first + declarator.range, variable);
  }
  return true;
}

bool FunctionParser::add_variable(Declarator& declarator) {
  Variable& variable = declarator.variable;
  if (variable.space != Space::kRegister) {
    const bool open_parameter = variable.space == Space::kParam && variable.count == 0;
    if (!open_parameter && !parse_initial_value(context_, declarator)) {
      return false;
    }
    function_.variables.push_back(std::move(variable));
    const Variable& added = function_.variables.back();
    return declare(added.name, ScopeTable::Kind::kVariable, count_of(function_.variables) - 1,
                   added.location);
  }
  if (variable.is_array) {
    return cursor_.fail(
        variable.location,
        fmt::format("Variable '{}' cannot be allocated into a register", variable.name));
  }
  function_.registers.push_back({variable.name, variable.type, variable.vector});
  return declare(variable.name, ScopeTable::Kind::kRegister, count_of(function_.registers) - 1,
                 variable.location);
}

bool FunctionParser::parse_guarded() {
  cursor_.next();
  Guard guard;
  if (!operands_.parse_guard(guard)) {
    return false;
  }
  const Location location = cursor_.token().location;
  std::string_view opcode;
  return cursor_.expect_name(opcode, "an instruction") &&
         parse_instruction(opcode, location, guard);
}

bool FunctionParser::parse_instruction(std::string_view opcode, Location location,
                                       std::optional<Guard> guard) {
  Instruction& instruction = function_.instructions.emplace_back();
  instruction.opcode = opcode_named(opcode);
  instruction.name = opcode;
  instruction.location = location;
  instruction.guard = guard;
  instruction.source = source_;
  parse_modifiers(instruction);
  if (instruction.opcode == Opcode::kUnknown || instruction.unknown_modifier) {
    return cursor_.skip_statement();
  }
  operands_.reset();
  const bool is_call = instruction.opcode == Opcode::k_call;
  if (!(is_call ? parse_call(instruction) : parse_operands(instruction))) {
    return false;
  }
  if (operands_.unsupported()) {
    // The operand is what is not known, so the whole instruction stands for the name.
    const char* end = cursor_.token().text.data();
    const char* begin = opcode.data();
    std::string_view text(begin, end);
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    instruction.opcode = Opcode::kUnknown;
    instruction.name = text;
  }
  return cursor_.expect(';');
}

void FunctionParser::parse_modifiers(Instruction& instruction) {
  const char* const begin = instruction.name.data();
  for (; cursor_.at(TokenKind::kDotWord); cursor_.next()) {
    const std::string_view text = cursor_.token().text;
    const InstructionWord word = instruction_word(text);
    if (word.modifier != Modifier::kCount) {
      instruction.modifiers.insert(word.modifier);
    } else if (word.type != Type::kNone && instruction.type_count < instruction.types.size()) {
      instruction.types[instruction.type_count++] = word.type;
    } else {
      instruction.unknown_modifier = true;
    }
    instruction.name = {begin, static_cast<std::size_t>(text.data() + text.size() - begin)};
  }
}

bool FunctionParser::parse_operands(Instruction& instruction) {
  if (cursor_.at(';')) {
    return true;
  }
  instruction.operands.reserve(4);
  do {
    const bool is_target =
        (instruction.opcode == Opcode::k_bra && instruction.operands.empty()) ||
        (instruction.opcode == Opcode::k_brx && instruction.operands.size() == 1);
    if (is_target) {
      if (!parse_target(instruction, instruction.opcode == Opcode::k_bra
                                         ? PendingTarget::Use::kBranch
                                         : PendingTarget::Use::kIndexedBranch)) {
        return false;
      }
    } else if (Operand& operand = instruction.operands.emplace_back(); !operands_.parse(operand)) {
      return false;
    } else if (operands_.subscripted() && accesses_elements(instruction.opcode)) {
      operand = address_at(std::move(operand));
    }
  } while (cursor_.accept(','));
  return true;
}

bool FunctionParser::parse_target(Instruction& instruction, PendingTarget::Use use) {
  PendingTarget target{use,
                       {},
                       cursor_.token().location,
                       count_of(function_.instructions) - 1,
                       count_of(instruction.operands)};
  if (!cursor_.expect_name(target.name, "a label")) {
    return false;
  }
  instruction.operands.emplace_back();
  pending_.push_back(target);
  return true;
}

bool FunctionParser::parse_call(Instruction& instruction) {
  std::vector<Operand>& operands = instruction.operands;
  operands.reserve(4);
  operands.resize(3);
  operands[0].kind = operands[2].kind = Operand::Kind::kVector;
  if (cursor_.at('(') &&
      (!operands_.parse_call_list(operands[0].members) || !cursor_.expect(','))) {
    return false;
  }
  const Location target_location = cursor_.token().location;
  if (!operands_.parse_call_target(operands[1])) {
    return false;
  }
  const bool indirect = operands[1].kind == Operand::Kind::kRegister;
  bool more = cursor_.accept(',');
  if (more && cursor_.at('(')) {
    if (!operands_.parse_call_list(operands[2].members)) {
      return false;
    }
    more = cursor_.accept(',');
  }
  if (more) {
    return parse_target(instruction, PendingTarget::Use::kCall);
  }
  operands.emplace_back();
  return !indirect || cursor_.fail(target_location, "An indirect call requires a call prototype");
}

} // namespace gantry::simt::ptx
