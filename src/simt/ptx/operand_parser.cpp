#include "simt/ptx/operand_parser.h"

#include <fmt/format.h>

namespace gantry::simt::ptx {
namespace {

/// 0 to 3 for x y z w and r g b a.
std::optional<std::uint8_t> element_named(std::string_view name) {
  if (name.size() != 1) {
    return std::nullopt;
  }
  for (const std::string_view letters : {"xyzw", "rgba"}) {
    if (const std::size_t at = letters.find(name[0]); at != std::string_view::npos) {
      return static_cast<std::uint8_t>(at);
    }
  }
  return std::nullopt;
}

/// Offsets wrap around as addresses do.
std::int64_t sum(std::int64_t offset, std::uint64_t more) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) + more);
}

/// The bytes and halves that video instructions select: b0, h1, b3210.
bool is_video_selector(std::string_view name) {
  return name.size() > 1 && name.size() < 6 && (name[0] == 'b' || name[0] == 'h') &&
         name.find_first_not_of("01234567", 1) == std::string_view::npos;
}

} // namespace

bool OperandParser::parse(Operand& operand) {
  subscripted_ = false;
  if (cursor_.at('[') || cursor_.at('{')) {
    return parse_bracketed(operand);
  }
  if (!parse_simple(operand)) {
    return false;
  }
  if (!cursor_.at('|')) {
    return true;
  }
  Operand second;
  cursor_.next();
  const Location location = cursor_.token().location;
  if (!parse_simple(second)) {
    return false;
  }
  for (const Operand* part : {&operand, &second}) {
    if (part->kind != Operand::Kind::kRegister && part->kind != Operand::Kind::kSink) {
      return cursor_.fail(location, "Registers expected on both sides of '|'");
    }
  }
  Operand pair;
  pair.kind = Operand::Kind::kPair;
  pair.members.reserve(2);
  pair.members.push_back(std::move(operand));
  pair.members.push_back(std::move(second));
  operand = std::move(pair);
  return true;
}

// Versions of PTX differ in what may stand between brackets; that there are brackets, and commas
// between operands, is the same in all.
bool OperandParser::parse_bracketed(Operand& operand) {
  const Cursor::Place begin = cursor_.place();
  const bool good = cursor_.at('[') ? parse_address(operand) : parse_vector(operand);
  subscripted_ = false; // that of an address's base is part of the address
  if (good || !cursor_.failed_on_syntax()) {
    return good;
  }
  const ParseError error = cursor_.error();
  cursor_.go_back(begin);
  if (!cursor_.skip_operand_brackets()) {
    cursor_.error() = error;
    return false;
  }
  operand = {};
  unsupported_ = true;
  return true;
}

bool OperandParser::parse_simple(Operand& operand) {
  if (cursor_.at(TokenKind::kIdentifier)) {
    if (cursor_.token().text == "WARP_SZ" && !scopes_.find("WARP_SZ")) {
      return parse_constant_operand(operand, '\0');
    }
    return parse_name(operand);
  }
  for (const char sign : {'!', '-'}) {
    if (cursor_.accept(sign)) {
      return parse_signed(operand, sign);
    }
  }
  if (!begins_constant(cursor_.token())) {
    return cursor_.syntax_error("an operand");
  }
  return parse_constant_operand(operand, '\0');
}

bool OperandParser::parse_signed(Operand& operand, char sign) {
  if (!cursor_.at(TokenKind::kIdentifier) || cursor_.token().text == "WARP_SZ") {
    return parse_constant_operand(operand, sign);
  }
  const Location location = cursor_.token().location;
  if (!parse_name(operand)) {
    return false;
  }
  if (operand.kind != Operand::Kind::kRegister) {
    return cursor_.fail(location, fmt::format("Register expected after '{}'", sign));
  }
  (sign == '!' ? operand.negated : operand.minus) = true;
  return true;
}

bool OperandParser::parse_constant_operand(Operand& operand, char sign) {
  if (sign == '\0' && cursor_.at(TokenKind::kIdentifier)) {
    cursor_.next();
    if (cursor_.at(',') || cursor_.at(';') || cursor_.at('}') || cursor_.at(')')) {
      operand.kind = Operand::Kind::kSpecial;
      operand.special = SpecialRegister::kWarpSize;
      return true;
    }
    Constant constant{Constant::Kind::kInteger, false, 32};
    return continue_constant(cursor_, constant) && finish_constant(constant, operand);
  }
  Constant constant;
  return parse_constant(cursor_, constant, sign) && finish_constant(constant, operand);
}

bool OperandParser::finish_constant(const Constant& constant, Operand& operand) {
  switch (constant.kind) {
  case Constant::Kind::kInteger:
    operand.kind = Operand::Kind::kInteger;
    break;
  case Constant::Kind::kFloat32:
    operand.kind = Operand::Kind::kFloat32;
    break;
  case Constant::Kind::kFloat64:
    operand.kind = Operand::Kind::kFloat64;
    break;
  }
  operand.value = static_cast<std::int64_t>(constant.bits);
  return true;
}

bool OperandParser::resolve(std::string_view name, Location location, Operand& operand) {
  const auto local = scopes_.find(name);
  return local ? resolve_local(*local, name, location, operand)
               : resolve_symbol(name, location, operand);
}

bool OperandParser::resolve_local(ScopeTable::Name local, std::string_view name, Location location,
                                  Operand& operand) {
  operand.index = local.index;
  switch (local.kind) {
  case ScopeTable::Kind::kRegister:
    operand.kind = Operand::Kind::kRegister;
    function_.registers[local.index].name = name; // one of a range has no other place to have it
    return true;
  case ScopeTable::Kind::kVariable:
    operand.kind = Operand::Kind::kVariable;
    function_.variables[local.index].name = name;
    return true;
  default:
    return cursor_.fail(location, fmt::format("Unexpected label '{}'", name));
  }
}

bool OperandParser::resolve_symbol(std::string_view name, Location location, Operand& operand) {
  const auto symbol = context_.find_symbol(name);
  if (!symbol) {
    return cursor_.fail(location, fmt::format("Unknown symbol '{}'", name));
  }
  operand.kind = Operand::Kind::kSymbol;
  operand.index = *symbol;
  return true;
}

bool OperandParser::parse_name(Operand& operand) {
  const Location location = cursor_.token().location;
  const std::string_view name = cursor_.token().text;
  cursor_.next();
  if (name == "_") {
    operand.kind = Operand::Kind::kSink;
    return true;
  }
  if (const auto local = scopes_.find(name)) {
    if (!resolve_local(*local, name, location, operand)) {
      return false;
    }
  } else if (const auto special = special_named(name)) {
    return parse_special(*special, operand);
  } else if (!resolve_symbol(name, location, operand)) {
    return false;
  }
  if (operand.kind == Operand::Kind::kRegister) {
    return !cursor_.at(TokenKind::kDotWord) ||
           parse_selector(function_.registers[operand.index], operand);
  }
  return cursor_.at('[') ? parse_subscript(operand) : parse_offset(operand.value);
}

// `a[3]`, an element of an array (PTX ISA 9.0, 6.4.2): its address. The language also has registers
// as subscripts.
bool OperandParser::parse_subscript(Operand& operand) {
  const Symbol* symbol = nullptr;
  if (operand.kind == Operand::Kind::kSymbol) {
    symbol = &context_.module.symbols[operand.index];
  }
  if (symbol != nullptr && symbol->kind == Symbol::Kind::kFunction) {
    return cursor_.fail(fmt::format("'{}' is a function and has no elements", symbol->name));
  }
  const Variable& array = symbol != nullptr ? context_.module.variables[symbol->index]
                                            : function_.variables[operand.index];
  if (array.dimensions == 0) {
    return cursor_.fail(fmt::format("'{}' is not an array", array.name));
  }
  subscripted_ = true;
  unsupported_ |= array.dimensions > 1;
  while (cursor_.accept('[')) {
    const Location location = cursor_.token().location;
    Operand subscript;
    if (!parse_simple(subscript)) {
      return false;
    }
    if (subscript.kind == Operand::Kind::kRegister) {
      unsupported_ = true;
      if (!parse_offset(subscript.value)) {
        return false;
      }
    } else if (subscript.kind != Operand::Kind::kInteger) {
      return cursor_.fail(location, "A subscript must be an integer or a register");
    }
    operand.value =
        sum(operand.value, static_cast<std::uint64_t>(subscript.value) * array.size_of_element());
    if (!cursor_.expect(']')) {
      return false;
    }
  }
  return (!cursor_.at('+') && !cursor_.at('-')) ||
         cursor_.fail("An offset cannot follow a subscript");
}

bool OperandParser::parse_selector(const Register& reg, Operand& operand) {
  const std::string_view selector = cursor_.token().text;
  const auto element = element_named(selector);
  if (reg.vector > 1 && element && *element < reg.vector) {
    operand.element = *element;
  } else if (reg.vector == 1 && is_video_selector(selector)) {
    unsupported_ = true;
  } else {
    return cursor_.fail(fmt::format("Register '{}' has no element '.{}'", reg.name, selector));
  }
  cursor_.next();
  return true;
}

bool OperandParser::parse_special(const SpecialName& special, Operand& operand) {
  operand.kind = Operand::Kind::kSpecial;
  operand.special = special.first;
  operand.value = special.number;
  unsupported_ |= special.unsupported;
  if (!cursor_.at(TokenKind::kDotWord)) {
    // %tid alone is a vector of four, as the first versions of PTX wrote it.
    unsupported_ |= special.elements != SpecialName::Elements::kNone;
    return true;
  }
  const auto element = element_named(cursor_.token().text);
  if (special.elements == SpecialName::Elements::kNone || !element) {
    return cursor_.fail(fmt::format("Unknown vector selector: '{}'", cursor_.token().text));
  }
  cursor_.next();
  if (*element == 3) {
    operand.kind = Operand::Kind::kInteger; // the fourth always reads as zero
  } else if (special.elements == SpecialName::Elements::kRegisters) {
    operand.special = static_cast<SpecialRegister>(static_cast<unsigned>(special.first) + *element);
  } else {
    operand.element = *element;
  }
  return true;
}

/// Adds what follows as `+4` or `-4`.
bool OperandParser::parse_offset(std::int64_t& offset) {
  if (!cursor_.at('+') && !cursor_.at('-')) {
    return true;
  }
  const Location location = cursor_.token().location;
  Constant constant;
  if (!parse_constant(cursor_, constant)) {
    return false;
  }
  if (!constant.is_integer()) {
    return cursor_.fail(location, "An offset must be an integer");
  }
  offset = sum(offset, constant.bits);
  return true;
}

bool OperandParser::parse_address(Operand& operand) {
  cursor_.next();
  operand.kind = Operand::Kind::kAddress;
  Operand base;
  const Location location = cursor_.token().location;
  if (!parse_simple(base)) {
    return false;
  }
  switch (base.kind) {
  case Operand::Kind::kRegister:
    if (base.negated || base.minus) {
      return cursor_.fail(location, "An address cannot begin with an operator");
    }
    if (!parse_offset(operand.value)) {
      return false;
    }
    break;
  case Operand::Kind::kVariable:
  case Operand::Kind::kSymbol:
  case Operand::Kind::kInteger:
    std::swap(operand.value, base.value);
    break;
  default:
    return cursor_.fail(location, "Register, symbol or integer expected in an address");
  }
  operand.members.push_back(std::move(base));
  return cursor_.expect(']');
}

bool OperandParser::parse_vector(Operand& operand) {
  cursor_.next();
  operand.kind = Operand::Kind::kVector;
  operand.members.reserve(4);
  do {
    if (!parse_simple(operand.members.emplace_back())) {
      return false;
    }
  } while (cursor_.accept(','));
  return cursor_.expect('}');
}

bool OperandParser::parse_call_list(std::vector<Operand>& operands) {
  if (!cursor_.expect('(')) {
    return false;
  }
  if (cursor_.accept(')')) {
    return true;
  }
  do {
    const Location location = cursor_.token().location;
    Operand& operand = operands.emplace_back();
    if (!parse_simple(operand)) {
      return false;
    }
    if (operand.kind == Operand::Kind::kSymbol || operand.kind == Operand::Kind::kSpecial) {
      return cursor_.fail(location, "Register, parameter or constant expected in a call");
    }
  } while (cursor_.accept(','));
  return cursor_.expect(')');
}

bool OperandParser::parse_call_target(Operand& operand) {
  const Location location = cursor_.token().location;
  std::string_view name;
  if (!cursor_.expect_name(name, "a function") || !resolve(name, location, operand)) {
    return false;
  }
  if (operand.kind == Operand::Kind::kRegister) {
    return !cursor_.at(TokenKind::kDotWord) ||
           parse_selector(function_.registers[operand.index], operand);
  }
  return (operand.kind == Operand::Kind::kSymbol &&
          context_.module.symbols[operand.index].kind == Symbol::Kind::kFunction) ||
         cursor_.fail(location, fmt::format("'{}' is not a function", name));
}

bool OperandParser::parse_guard(Guard& guard) {
  guard.negated = cursor_.accept('!');
  const Location location = cursor_.token().location;
  std::string_view name;
  Operand operand;
  if (!cursor_.expect_name(name, "a predicate register") || !resolve(name, location, operand)) {
    return false;
  }
  if (operand.kind != Operand::Kind::kRegister ||
      function_.registers[operand.index].type != Type::kPred ||
      function_.registers[operand.index].vector != 1) {
    return cursor_.fail(location, "Predicate expression expected");
  }
  guard.register_index = operand.index;
  return true;
}

} // namespace gantry::simt::ptx
