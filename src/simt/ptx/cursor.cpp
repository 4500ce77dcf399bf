#include "simt/ptx/cursor.h"

#include <fmt/format.h>

namespace gantry::simt::ptx {
namespace {

char partner(char bracket) {
  switch (bracket) {
  case '(':
    return ')';
  case '[':
    return ']';
  case '{':
    return '}';
  default:
    return '\0';
  }
}

/// The token as messages show it: short, and printable.
std::string shown(const Token& token) {
  constexpr std::size_t kLongest = 60;
  std::string text;
  if (token.kind == TokenKind::kDotWord) {
    text = ".";
  } else if (token.kind == TokenKind::kString) {
    text = "\"";
  }
  for (const char character : token.text.substr(0, kLongest)) {
    if (character >= ' ' && character <= '~') {
      text += character;
    } else {
      text += fmt::format("\\x{:02X}", static_cast<unsigned char>(character));
    }
  }
  if (token.text.size() > kLongest) {
    text += "…";
  } else if (token.kind == TokenKind::kString) {
    text += '"';
  }
  return text;
}

} // namespace

bool Cursor::fail(Location location, std::string message) {
  if (error_.message.empty()) {
    error_.location = location;
    error_.message = std::move(message);
  }
  return false;
}

void Cursor::go_back(const Place& place) {
  lexer_ = place.lexer;
  token_ = place.token;
  error_ = {};
  failed_on_syntax_ = false;
}

bool Cursor::syntax_error(std::string_view expected) {
  failed_on_syntax_ |= error_.message.empty();
  if (token_.kind == TokenKind::kError) {
    return fail(token_.error);
  }
  if (token_.kind == TokenKind::kEnd) {
    return fail(fmt::format("Unexpected end of the text, {} expected", expected));
  }
  return fail(
      fmt::format("Parsing error near '{}': syntax error, {} expected", shown(token_), expected));
}

bool Cursor::accept(char character) {
  if (!at(character)) {
    return false;
  }
  next();
  return true;
}

bool Cursor::expect(char character) {
  return accept(character) || syntax_error(fmt::format("'{}'", character));
}

bool Cursor::expect_name(std::string_view& name, std::string_view what) {
  if (!at(TokenKind::kIdentifier)) {
    return syntax_error(what);
  }
  name = token_.text;
  next();
  return true;
}

bool Cursor::expect_number(std::uint32_t& number) {
  if (!at(TokenKind::kInteger)) {
    return syntax_error("a number");
  }
  if (token_.value > UINT32_MAX) {
    return fail("Constant overflow");
  }
  number = static_cast<std::uint32_t>(token_.value);
  next();
  return true;
}

bool Cursor::skip_brackets() {
  return skip_brackets_until('\0');
}

bool Cursor::skip_operand_brackets() {
  return skip_brackets_until(';');
}

bool Cursor::skip_brackets_until(char end) {
  std::string open;
  do {
    if (at(TokenKind::kEnd) || at(TokenKind::kError) || (end != '\0' && at(end))) {
      return syntax_error(fmt::format("'{}'", partner(open.back())));
    }
    const char character = token_.mark < 0x100 ? static_cast<char>(token_.mark) : '\0';
    if (partner(character) != '\0') {
      open += character;
    } else if (character == ')' || character == ']' || character == '}') {
      if (character != partner(open.back())) {
        return syntax_error(fmt::format("'{}'", partner(open.back())));
      }
      open.pop_back();
    }
    next();
  } while (!open.empty());
  return true;
}

bool Cursor::skip_statement() {
  bool after_operand = false;
  while (!accept(';')) {
    const bool opens = at('(') || at('[') || at('{');
    const bool stray =
        at(TokenKind::kEnd) || at(TokenKind::kError) || at(')') || at(']') || at('}') || at(':');
    // Two operands without a comma are two statements without a semicolon.
    if (stray || (after_operand && at(TokenKind::kIdentifier))) {
      return syntax_error("';'");
    }
    after_operand = opens || token_.mark == 0;
    if (!opens) {
      next();
    } else if (!skip_brackets()) {
      return false;
    }
  }
  return true;
}

} // namespace gantry::simt::ptx
