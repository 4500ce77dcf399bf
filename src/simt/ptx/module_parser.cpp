#include "simt/ptx/module_parser.h"

#include "simt/ptx/call_interface.h"
#include "simt/ptx/function_parser.h"
#include "simt/ptx/small_directives.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace gantry::simt::ptx {
namespace {

std::uint32_t count_of(const auto& container) {
  return static_cast<std::uint32_t>(container.size());
}

Linkage linkage_of(Directive directive) {
  switch (directive) {
  case Directive::kVisible:
    return Linkage::kVisible;
  case Directive::kExtern:
    return Linkage::kExtern;
  case Directive::kWeak:
    return Linkage::kWeak;
  default:
    return Linkage::kCommon;
  }
}

/// Checks the launch's limit on the bytes of a kernel's parameters (PTX ISA 9.0, 5.1.6.1).
bool check_parameter_bytes(Cursor& cursor, const Function& kernel) {
  const std::uint64_t bytes = layout_of_parameters(kernel).bytes;
  return bytes <= kMaxParameterBytes ||
         cursor.fail(kernel.location,
                     fmt::format("Formal parameter space overflowed ({} bytes required, max {} "
                                 "bytes allowed) in function '{}'",
                                 bytes, kMaxParameterBytes, kernel.name));
}

/// Makes what was skipped unknown instructions of the function, so that it is refused for them.
void add_skipped(const ParseContext& context, Function& function) {
  for (const ParseContext::Skipped& skipped : context.skipped) {
    Instruction& instruction = function.instructions.emplace_back();
    instruction.name = skipped.text;
    instruction.location = skipped.location;
  }
}

/// Makes the parsed parameters variables of the function.
void add_interface(Function& function, std::vector<Variable>& variables,
                   std::vector<std::uint32_t>& indices) {
  for (Variable& variable : variables) {
    if (variable.space == Space::kRegister) {
      variable.register_index = count_of(function.registers);
      function.registers.push_back({variable.name, variable.type, variable.vector});
    }
    indices.push_back(count_of(function.variables));
    function.variables.push_back(std::move(variable));
  }
}

} // namespace

bool ModuleParser::parse() {
  if (!parse_version() || !parse_target()) {
    return false;
  }
  while (!cursor_.at(TokenKind::kEnd)) {
    if (!parse_directive()) {
      return false;
    }
  }
  return check_aliases() && check_calls();
}

bool ModuleParser::parse_version() {
  if (!cursor_.at_dot_word("version")) {
    return cursor_.token().kind == TokenKind::kError
               ? cursor_.syntax_error("")
               : cursor_.fail("Missing .version directive at start of file");
  }
  cursor_.next();
  const std::string_view number = cursor_.token().text;
  const char* const begin = number.data();
  const char* const end = begin + number.size();
  const auto [dot, major_error] = std::from_chars(begin, end, module_.version_major);
  if (!cursor_.at(TokenKind::kFloat64) || major_error != std::errc() || dot == end || *dot != '.') {
    return cursor_.syntax_error("a version");
  }
  const auto [rest, minor_error] = std::from_chars(dot + 1, end, module_.version_minor);
  if (minor_error != std::errc() || rest != end) {
    return cursor_.syntax_error("a version");
  }
  if (std::pair(module_.version_major, module_.version_minor) >
      std::pair(kNewestMajor, kNewestMinor)) {
    cursor_.error().kind = ParseError::Kind::kVersion;
    return cursor_.fail(fmt::format("Unsupported .version {}; current version is '{}.{}'", number,
                                    kNewestMajor, kNewestMinor));
  }
  cursor_.next();
  return true;
}

bool ModuleParser::parse_target() {
  if (!cursor_.at_dot_word("target")) {
    return cursor_.token().kind == TokenKind::kError
               ? cursor_.syntax_error("")
               : cursor_.fail("Missing .target directive at start of file");
  }
  do {
    cursor_.next();
    std::string_view name;
    const Location location = cursor_.token().location;
    if (!cursor_.expect_name(name, "a target")) {
      return false;
    }
    if (name.starts_with("sm_")) {
      const char* const end = name.data() + name.size();
      const auto [rest, error] = std::from_chars(name.data() + 3, end, module_.target);
      if (error != std::errc() || end - rest > 1) {
        return cursor_.fail(location, fmt::format("Unknown target '{}'", name));
      }
      module_.target_name = name;
    } else if (name == "debug") {
      module_.debug = true;
    } else if (!name.starts_with("texmode_") && name != "map_f64_to_f32") {
      return cursor_.fail(location, fmt::format("Unknown target '{}'", name));
    }
  } while (cursor_.at(','));
  return !module_.target_name.empty() || cursor_.fail("Missing target architecture");
}

bool ModuleParser::parse_address_size() {
  cursor_.next();
  std::uint32_t size = 0;
  const Location location = cursor_.token().location;
  if (!cursor_.expect_number(size)) {
    return false;
  }
  return size == 64 || cursor_.fail(location, fmt::format("Unsupported .address_size {}, only 64 "
                                                          "is supported",
                                                          size));
}

bool ModuleParser::parse_directive() {
  if (!cursor_.at(TokenKind::kDotWord)) {
    return cursor_.syntax_error("a directive");
  }
  const Directive directive = directive_named(cursor_.token().text);
  switch (directive) {
  case Directive::kAddressSize:
    return parse_address_size();
  case Directive::kFile:
    return parse_file(context_);
  case Directive::kSection:
    return skip_section();
  case Directive::kPragma:
    return skip_pragma(cursor_);
  case Directive::kAlias:
    return parse_alias();
  case Directive::kLoc: {
    SourcePosition ignored;
    return parse_loc(cursor_, ignored);
  }
  case Directive::kVisible:
  case Directive::kExtern:
  case Directive::kWeak:
  case Directive::kCommon:
    cursor_.next();
    return parse_linked(linkage_of(directive));
  default:
    return parse_linked(Linkage::kPrivate);
  }
}

bool ModuleParser::parse_linked(Linkage linkage) {
  if (!cursor_.at(TokenKind::kDotWord)) {
    return cursor_.syntax_error("a declaration");
  }
  const Directive directive = directive_named(cursor_.token().text);
  if (directive == Directive::kEntry || directive == Directive::kFunc) {
    if (linkage == Linkage::kCommon) {
      return cursor_.fail("Functions cannot be .common");
    }
    cursor_.next();
    return parse_function(linkage, directive == Directive::kEntry);
  }
  const auto space = space_of(directive);
  if (!space) {
    return cursor_.syntax_error("a declaration");
  }
  if (*space == Space::kRegister || *space == Space::kLocal || *space == Space::kParam) {
    return cursor_.fail(fmt::format("Module-scoped variables in .{} state space are not allowed",
                                    cursor_.token().text));
  }
  return parse_variables(*space, linkage);
}

bool ModuleParser::skip_section() {
  cursor_.next();
  if (!cursor_.at(TokenKind::kDotWord) && !cursor_.at(TokenKind::kIdentifier)) {
    return cursor_.syntax_error("a name");
  }
  cursor_.next();
  return cursor_.at('{') ? cursor_.skip_brackets() : cursor_.syntax_error("'{'");
}

bool ModuleParser::parse_alias() {
  Alias alias;
  cursor_.next();
  alias.location = cursor_.token().location;
  if (!cursor_.expect_name(alias.name, "a name") || !cursor_.expect(',')) {
    return false;
  }
  const Location of_location = cursor_.token().location;
  if (!cursor_.expect_name(alias.of, "a name") || !cursor_.expect(';')) {
    return false;
  }
  for (const auto& [name, location] :
       {std::pair(alias.name, alias.location), std::pair(alias.of, of_location)}) {
    const auto symbol = context_.find_symbol(name);
    if (!symbol) {
      return cursor_.fail(location, fmt::format("Unknown symbol '{}'", name));
    }
    if (module_.symbols[*symbol].kind != Symbol::Kind::kFunction) {
      return cursor_.fail(location, fmt::format("'{}' is not a function", name));
    }
  }
  Symbol& symbol = module_.symbols[*context_.find_symbol(alias.name)];
  const Function& declared = module_.functions[symbol.index];
  alias.function = module_.symbols[*context_.find_symbol(alias.of)].index;
  const Function& aliased = module_.functions[alias.function];
  if (declared.is_defined || symbol.index == alias.function) {
    return cursor_.fail(alias.location,
                        fmt::format("Duplicate definition of function '{}'", alias.name));
  }
  if (declared.is_entry || aliased.is_entry || !same_interface(declared, aliased)) {
    return cursor_.fail(alias.location,
                        fmt::format("'{}' and '{}' are not declared alike", alias.name, alias.of));
  }
  symbol.index = alias.function;
  aliases_.push_back(alias);
  return true;
}

bool ModuleParser::parse_variables(Space space, Linkage linkage) {
  cursor_.next();
  Variable type;
  type.space = space;
  type.linkage = linkage;
  if (!parse_type(context_, type)) {
    return false;
  }
  do {
    Declarator declarator;
    if (!parse_declarator(context_, type, declarator)) {
      return false;
    }
    if (declarator.is_range) {
      return cursor_.fail(declarator.variable.location,
                          fmt::format("'{}' is a variable of the module and cannot be one of many",
                                      declarator.variable.name));
    }
    if (!parse_initial_value(context_, declarator) ||
        !add_variable(std::move(declarator.variable))) {
      return false;
    }
  } while (cursor_.accept(','));
  return cursor_.expect(';');
}

bool ModuleParser::add_variable(Variable variable) {
  const auto [entry, added] =
      context_.symbols.try_emplace(variable.name, count_of(module_.symbols));
  if (added) {
    module_.symbols.push_back(
        {variable.name, Symbol::Kind::kVariable, count_of(module_.variables)});
    module_.variables.push_back(std::move(variable));
    return true;
  }
  const Symbol& symbol = module_.symbols[entry->second];
  Variable* known =
      symbol.kind == Symbol::Kind::kVariable ? &module_.variables[symbol.index] : nullptr;
  if (known == nullptr ||
      (known->linkage != Linkage::kExtern && variable.linkage != Linkage::kExtern)) {
    return cursor_.fail(variable.location,
                        fmt::format("Duplicate definition of variable '{}'", variable.name));
  }
  const bool same_size =
      known->size() == variable.size() || known->count == 0 || variable.count == 0;
  if (known->space != variable.space || !same_size) {
    return cursor_.fail(variable.location,
                        fmt::format("Inconsistent redefinition of variable '{}'", variable.name));
  }
  const bool more_is_known = known->linkage == Linkage::kExtern &&
                             (variable.linkage != Linkage::kExtern || known->count == 0);
  if (more_is_known) {
    *known = std::move(variable);
  }
  return true;
}

bool ModuleParser::parse_function(Linkage linkage, bool is_entry) {
  context_.in_function = true;
  context_.skipped.clear();
  const bool good = parse_interface_and_body(linkage, is_entry);
  context_.in_function = false;
  return good;
}

bool ModuleParser::parse_interface_and_body(Linkage linkage, bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  function.linkage = linkage;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  while (cursor_.at_dot_word("attribute")) {
    cursor_.next();
    if (!cursor_.at('(')) {
      return cursor_.syntax_error("'('");
    }
    if (!cursor_.skip_brackets()) {
      return false;
    }
  }
  if (!is_entry && cursor_.at('(') && !parse_parameters(context_, results, true)) {
    return false;
  }
  function.location = cursor_.token().location;
  if (!cursor_.expect_name(function.name, "a name") ||
      (cursor_.at('(') && !parse_parameters(context_, parameters, true))) {
    return false;
  }
  add_interface(function, results, function.results);
  add_interface(function, parameters, function.parameters);
  if (is_entry && !function.registers.empty()) {
    return cursor_.fail(function.location, "Parameters of a kernel must be in .param state space");
  }
  if ((is_entry && !check_parameter_bytes(cursor_, function)) ||
      !parse_function_attributes(function)) {
    return false;
  }
  const bool has_body = cursor_.at('{');
  std::uint32_t index = 0;
  if (!declare_function(function, has_body, index)) {
    return false;
  }
  if (!has_body) {
    return cursor_.expect(';');
  }
  if (!FunctionParser(context_, function).parse_body()) {
    return false;
  }
  add_skipped(context_, function);
  function.is_defined = true;
  module_.functions[index] = std::move(function);
  return true;
}

bool ModuleParser::parse_function_attributes(Function& function) {
  while (cursor_.at(TokenKind::kDotWord)) {
    const Directive directive = directive_named(cursor_.token().text);
    if (directive == Directive::kPragma) {
      if (!skip_pragma(cursor_)) {
        return false;
      }
      continue;
    }
    const auto parse_one = [&](std::uint32_t& number) {
      cursor_.next();
      return cursor_.expect_number(number);
    };
    bool good = true;
    switch (directive) {
    case Directive::kNoreturn:
      function.noreturn = true;
      cursor_.next();
      break;
    case Directive::kMaxntid:
      good = parse_bound(function.max_threads);
      break;
    case Directive::kReqntid:
      good = parse_bound(function.required_threads);
      break;
    case Directive::kReqnctapercluster:
      good = parse_bound(function.cluster);
      break;
    case Directive::kExplicitcluster:
      function.explicit_cluster = true;
      cursor_.next();
      break;
    case Directive::kBlocksareclusters:
      function.blocks_are_clusters = true;
      cursor_.next();
      break;
    case Directive::kMaxclusterrank:
      good = parse_one(function.max_cluster_rank);
      break;
    case Directive::kMaxnreg:
      good = parse_one(function.max_registers);
      break;
    case Directive::kMinnctapersm:
      good = parse_one(function.min_blocks);
      break;
    case Directive::kPerformance:
      cursor_.next();
      good = skip_numbers(cursor_);
      break;
    case Directive::kUnknown:
      context_.skip_word();
      good = skip_numbers(cursor_);
      break;
    default:
      return cursor_.syntax_error("'{'");
    }
    if (!good) {
      return false;
    }
  }
  return cursor_.at('{') || cursor_.at(';') || cursor_.syntax_error("'{' or ';'");
}

bool ModuleParser::parse_bound(Dim3& bound) {
  const std::string_view word = cursor_.token().text;
  bound = {1, 1, 1};
  for (std::uint32_t* dimension : {&bound.x, &bound.y, &bound.z}) {
    cursor_.next();
    const Location location = cursor_.token().location;
    if (!cursor_.expect_number(*dimension)) {
      return false;
    }
    if (*dimension == 0) {
      return cursor_.fail(location, fmt::format("Positive non-zero value expected for {}", word));
    }
    if (!cursor_.at(',')) {
      return true;
    }
  }
  return cursor_.syntax_error("'{'");
}

bool ModuleParser::declare_function(Function& function, bool has_body, std::uint32_t& index) {
  const auto fail = [&](std::string_view format) {
    return cursor_.fail(function.location, fmt::format(fmt::runtime(format), function.name));
  };
  if (has_body && function.linkage == Linkage::kExtern) {
    return fail("Function definition conflicts with '.extern' declaration for function '{}'");
  }
  const auto [entry, added] =
      context_.symbols.try_emplace(function.name, count_of(module_.symbols));
  if (added) {
    index = count_of(module_.functions);
    module_.symbols.push_back({function.name, Symbol::Kind::kFunction, index});
    if (has_body) {
      // The body is parsed into another object; calls of the function in it need the interface.
      Function interface;
      interface.name = function.name;
      module_.functions.push_back(std::move(interface));
    } else {
      module_.functions.push_back(std::move(function));
    }
    return true;
  }
  const Symbol& symbol = module_.symbols[entry->second];
  if (symbol.kind != Symbol::Kind::kFunction) {
    return fail("Duplicate definition of variable '{}'");
  }
  index = symbol.index;
  Function& known = module_.functions[index];
  const bool is_alias = known.name != function.name;
  if (has_body && (known.is_defined || is_alias)) {
    return fail("Duplicate definition of function '{}'");
  }
  if (known.is_entry != function.is_entry) {
    return fail("Inconsistent redefinition of '{}'");
  }
  if (!same_interface(known, function)) {
    return fail("Inconsistent prototypes of '{}'");
  }
  if (is_alias) {
    return true;
  }
  const bool told_nothing = known.linkage == Linkage::kPrivate || known.linkage == Linkage::kExtern;
  const bool tells_nothing =
      function.linkage == Linkage::kPrivate || function.linkage == Linkage::kExtern;
  if (told_nothing && !tells_nothing) {
    known.linkage = function.linkage;
  } else if (!told_nothing) {
    function.linkage = known.linkage;
  }
  function.noreturn |= known.noreturn;
  known.noreturn = function.noreturn;
  return true;
}

bool ModuleParser::check_aliases() {
  return std::ranges::all_of(aliases_, [this](const Alias& alias) {
    return module_.functions[alias.function].is_defined ||
           cursor_.fail(alias.location, fmt::format("Alias '{}' of '{}', which is not defined",
                                                    alias.name, alias.of));
  });
}

bool ModuleParser::check_calls() {
  return std::ranges::all_of(module_.functions, [this](const Function& function) {
    return std::ranges::all_of(function.instructions, [this](const Instruction& instruction) {
      return instruction.opcode != Opcode::k_call || instruction.unknown_modifier ||
             instruction.operands[1].kind != Operand::Kind::kSymbol || check_call(instruction);
    });
  });
}

bool ModuleParser::check_call(const Instruction& instruction) {
  const Symbol& symbol = module_.symbols[instruction.operands[1].index];
  const Function& called = module_.functions[symbol.index];
  if (called.is_entry) {
    return cursor_.fail(instruction.location,
                        fmt::format("'{}' is a kernel and cannot be called", symbol.name));
  }
  if (instruction.operands[0].members.size() != called.results.size()) {
    return cursor_.fail(instruction.location,
                        fmt::format("Call of '{}' has wrong number of results", symbol.name));
  }
  return instruction.operands[2].members.size() == called.parameters.size() ||
         cursor_.fail(instruction.location,
                      fmt::format("Call of '{}' has wrong number of parameters", symbol.name));
}

} // namespace gantry::simt::ptx
