#include "simt/ptx/declaration.h"

#include "simt/ptx/initializer.h"

#include <bit>

#include <fmt/format.h>

namespace gantry::simt::ptx {
namespace {

constexpr std::uint32_t kMaxAlignment = 1U << 20U;
constexpr std::size_t kMaxDimensions = 16;
/// Offsets in the small spaces are 32 bits wide; in the others sizes have to be ones that a machine
/// may have.
constexpr std::uint64_t kMaxSmallBytes = (1ULL << 31U) - 1;
constexpr std::uint64_t kMaxBytes = 1ULL << 40U;

bool parse_alignment(Cursor& cursor, std::uint32_t& alignment) {
  cursor.next();
  const Location location = cursor.token().location;
  if (!cursor.expect_number(alignment)) {
    return false;
  }
  if (!std::has_single_bit(alignment)) {
    return cursor.fail(location, "Alignment must be a power of two");
  }
  return alignment <= kMaxAlignment ||
         cursor.fail(location,
                     fmt::format("Alignment {} is more than {}", alignment, kMaxAlignment));
}

/// `.attribute(.managed)`; others say nothing that matters here.
bool parse_attribute(Cursor& cursor, Variable& variable) {
  cursor.next();
  if (!cursor.expect('(')) {
    return false;
  }
  do {
    if (!cursor.at(TokenKind::kDotWord)) {
      return cursor.syntax_error("an attribute");
    }
    variable.managed |= cursor.at_dot_word("managed");
    cursor.next();
    if (cursor.at('(') && !cursor.skip_brackets()) {
      return false;
    }
  } while (cursor.accept(','));
  return cursor.expect(')');
}

/// `.ptr .global .align 4`: what a pointer points to.
bool skip_pointee(Cursor& cursor) {
  cursor.next();
  if (cursor.at(TokenKind::kDotWord) && space_of(directive_named(cursor.token().text))) {
    cursor.next();
  }
  std::uint32_t alignment = 0;
  return !cursor.at_dot_word("align") || parse_alignment(cursor, alignment);
}

bool parse_dimensions(ParseContext& context, Declarator& declarator) {
  Cursor& cursor = context.cursor;
  while (cursor.accept('[')) {
    const Location location = cursor.token().location;
    Constant size;
    if (cursor.at(']')) {
      if (!declarator.dimensions.empty()) {
        return cursor.fail("Only the first dimension of an array may be left open");
      }
    } else if (!parse_constant(cursor, size)) {
      return false;
    } else if (!size.is_integer() || (!size.is_unsigned && size.bits >> 63U != 0)) {
      return cursor.fail(location, "The size of an array must be a natural number");
    }
    if (declarator.dimensions.size() == kMaxDimensions) {
      return cursor.fail(location, "The array has too many dimensions");
    }
    declarator.dimensions.push_back(size.bits);
    if (!cursor.expect(']')) {
      return false;
    }
  }
  return true;
}

std::uint64_t max_bytes(Space space) {
  return space == Space::kGlobal ? kMaxBytes : kMaxSmallBytes;
}

/// The number of elements, an open dimension taken as none, if the variable's bytes are not too
/// many.
std::optional<std::uint64_t> count_elements(const Declarator& declarator) {
  const Variable& variable = declarator.variable;
  const std::uint64_t most =
      max_bytes(variable.space) / (std::uint64_t(size_of(variable.type)) * variable.vector);
  std::uint64_t count = 1;
  // From the back: what an open first dimension multiplies has a limit, too.
  for (std::size_t index = declarator.dimensions.size(); index-- > 0;) {
    if (__builtin_mul_overflow(count, declarator.dimensions[index], &count) || count > most) {
      return std::nullopt;
    }
  }
  return count;
}

bool set_size(ParseContext& context, Declarator& declarator) {
  Variable& variable = declarator.variable;
  const std::optional<std::uint64_t> count = count_elements(declarator);
  if (!count) {
    return context.cursor.fail(variable.location,
                               fmt::format("Variable '{}' has more than {} bytes", variable.name,
                                           max_bytes(variable.space)));
  }
  variable.count = *count;
  variable.is_array = !declarator.dimensions.empty();
  variable.dimensions = static_cast<std::uint8_t>(declarator.dimensions.size());
  return true;
}

bool parse_range(Cursor& cursor, Declarator& declarator) {
  declarator.is_range = true;
  return cursor.expect_number(declarator.range) && cursor.expect('>');
}

} // namespace

bool ParseContext::charge(std::uint64_t count, Location location) {
  if (count > budget) {
    return cursor.fail(location, "Too much is declared in one module");
  }
  budget -= count;
  return true;
}

void ParseContext::skip_word() {
  const Token& word = cursor.token();
  skipped.push_back({{word.text.data() - 1, word.text.size() + 1}, word.location}); // with its dot
  cursor.next();
}

std::optional<std::uint32_t> ParseContext::find_symbol(std::string_view name) const {
  const auto found = symbols.find(name);
  return found != symbols.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<Space> space_of(Directive directive) {
  switch (directive) {
  case Directive::kGlobal:
    return Space::kGlobal;
  case Directive::kShared:
    return Space::kShared;
  case Directive::kConst:
    return Space::kConst;
  case Directive::kLocal:
    return Space::kLocal;
  case Directive::kParam:
    return Space::kParam;
  case Directive::kReg:
    return Space::kRegister;
  default:
    return std::nullopt;
  }
}

bool parse_type(ParseContext& context, Variable& variable) {
  Cursor& cursor = context.cursor;
  std::uint32_t alignment = 0;
  bool typed = false;
  while (cursor.at(TokenKind::kDotWord)) {
    const std::string_view word = cursor.token().text;
    switch (directive_named(word)) {
    case Directive::kAlign:
      if (!parse_alignment(cursor, alignment)) {
        return false;
      }
      break;
    case Directive::kAttribute:
      if (!parse_attribute(cursor, variable)) {
        return false;
      }
      break;
    case Directive::kPtr:
      if (!skip_pointee(cursor)) {
        return false;
      }
      break;
    case Directive::kV2:
    case Directive::kV4:
    case Directive::kV8:
      variable.vector = static_cast<std::uint8_t>(word[1] - '0');
      cursor.next();
      break;
    default: {
      std::optional<Type> type = type_named(word);
      if (type && is_of_matrices(*type)) {
        type.reset();
      }
      if (!type && !context.in_function) {
        return cursor.fail(fmt::format("Type '.{}' is not supported", word));
      }
      if (typed) {
        return cursor.syntax_error("a name");
      }
      if (!type) {
        // Opaque types are handles of 64 bits; what uses the name has to find it declared.
        variable.type = Type::kB64;
        typed = true;
        context.skip_word();
        break;
      }
      if (*type == Type::kPred && variable.space != Space::kRegister) {
        return cursor.fail("Predicate variables must be in register state space");
      }
      variable.type = *type;
      typed = true;
      cursor.next();
    }
    }
  }
  if (!typed) {
    return cursor.syntax_error("a type");
  }
  variable.alignment = alignment != 0 ? alignment : size_of(variable.type) * variable.vector;
  return true;
}

bool parse_declarator(ParseContext& context, const Variable& type, Declarator& declarator) {
  Cursor& cursor = context.cursor;
  declarator.variable = type;
  declarator.variable.location = cursor.token().location;
  if (!cursor.expect_name(declarator.variable.name, "a name")) {
    return false;
  }
  if (cursor.accept('<')) {
    return parse_range(cursor, declarator);
  }
  return parse_dimensions(context, declarator) && set_size(context, declarator);
}

bool parse_initial_value(ParseContext& context, Declarator& declarator) {
  Cursor& cursor = context.cursor;
  Variable& variable = declarator.variable;
  const bool is_extern = variable.linkage == Linkage::kExtern;
  if (cursor.at('=')) {
    if (is_extern) {
      return cursor.fail(
          fmt::format("No initial value is allowed for external symbol '{}'", variable.name));
    }
    if (variable.space != Space::kGlobal && variable.space != Space::kConst) {
      return cursor.fail(
          fmt::format("No initial value is allowed for '{}' in this state space", variable.name));
    }
    cursor.next();
    if (!parse_initializer(context, declarator) || !set_size(context, declarator)) {
      return false;
    }
  }
  return variable.count != 0 || is_extern ||
         cursor.fail(variable.location,
                     fmt::format("Non-external variable '{}' has incomplete type", variable.name));
}

bool parse_parameters(ParseContext& context, std::vector<Variable>& parameters, bool unnamed) {
  Cursor& cursor = context.cursor;
  if (!cursor.expect('(')) {
    return false;
  }
  if (cursor.accept(')')) {
    return true;
  }
  do {
    const bool in_register = cursor.at_dot_word("reg");
    if (!in_register && !cursor.at_dot_word("param")) {
      return cursor.syntax_error("'.param'");
    }
    cursor.next();
    Variable type;
    type.space = in_register ? Space::kRegister : Space::kParam;
    if (!parse_type(context, type)) {
      return false;
    }
    type.location = cursor.token().location;
    if (unnamed && (cursor.at(',') || cursor.at(')'))) {
      parameters.push_back(type);
      continue;
    }
    Declarator declarator;
    if (!parse_declarator(context, type, declarator)) {
      return false;
    }
    if (declarator.is_range || (in_register && declarator.variable.is_array)) {
      return cursor.fail(declarator.variable.location,
                         fmt::format("'{}' cannot be a parameter", declarator.variable.name));
    }
    parameters.push_back(std::move(declarator.variable));
  } while (cursor.accept(','));
  return cursor.expect(')');
}

} // namespace gantry::simt::ptx
