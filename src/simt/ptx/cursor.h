// Where the parser stands in the text, and the first error it met there.
//
// Parsing functions return false once an error is recorded; whoever gets false passes it on.
#pragma once

#include "simt/ptx/lexer.h"
#include "simt/ptx/parser.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::simt::ptx {

class Cursor {
public:
  explicit Cursor(const char* text) : lexer_(text), token_(lexer_.next()) {}

  [[nodiscard]] const Token& token() const { return token_; }
  [[nodiscard]] bool at(TokenKind kind) const { return token_.kind == kind; }
  [[nodiscard]] bool at(char character) const { return token_.mark == mark({&character, 1}); }
  [[nodiscard]] bool at_dot_word(std::string_view word) const {
    return token_.kind == TokenKind::kDotWord && token_.text == word;
  }

  void next() { token_ = lexer_.next(); }
  /// Goes past the character if it is next.
  bool accept(char character);
  [[nodiscard]] bool expect(char character);
  /// The name that is next, `what` in the message if there is none.
  [[nodiscard]] bool expect_name(std::string_view& name, std::string_view what);
  /// A plain number that fits.
  [[nodiscard]] bool expect_number(std::uint32_t& number);
  /// Goes past a bracket that is next, its partner and what is between, whatever that is.
  [[nodiscard]] bool skip_brackets();
  /// The same inside a statement, which `;` ends.
  [[nodiscard]] bool skip_operand_brackets();
  /// Goes past the next `;` outside brackets.
  [[nodiscard]] bool skip_statement();

  /// Records an error, the first one only. Always false.
  bool fail(Location location, std::string message);
  bool fail(std::string message) { return fail(token_.location, std::move(message)); }
  /// What is next does not belong there.
  bool syntax_error(std::string_view expected);
  [[nodiscard]] ParseError& error() { return error_; }
  /// Whether the error is one of syntax: what stands there is nothing that the parser knows.
  [[nodiscard]] bool failed_on_syntax() const { return failed_on_syntax_; }

  /// A place in the text to go back to.
  struct Place {
    Lexer lexer;
    Token token;
  };
  [[nodiscard]] Place place() const { return {lexer_, token_}; }
  /// As if nothing behind the place had been read, an error found there included.
  void go_back(const Place& place);

private:
  bool skip_brackets_until(char end);

  Lexer lexer_;
  Token token_;
  ParseError error_;
  bool failed_on_syntax_ = false;
};

} // namespace gantry::simt::ptx
