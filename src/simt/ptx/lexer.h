// The tokens of PTX text.
#pragma once

#include "simt/ptx/module.h"

#include <cstdint>
#include <string_view>

namespace gantry::simt::ptx {

enum class TokenKind : std::uint8_t {
  kEnd,
  kIdentifier, ///< register, symbol, label, opcode
  kDotWord,    ///< .word and .word::word; the text is without the first dot
  kInteger,
  kFloat32, ///< 0fXXXXXXXX
  kFloat64, ///< 0dXXXXXXXXXXXXXXXX, or 1.5
  kString,  ///< the text is without the quotes
  kMark,    ///< punctuation of one or two characters
  kError,   ///< no token; the reason is in `error`
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool is_unsigned = false; ///< an integer that is written with U or does not fit into 63 bits
  /// Of punctuation: mark("{"), mark("<<").
  std::uint16_t mark = 0;
  Location location;
  std::string_view text;
  std::uint64_t value = 0; ///< of a number: its bits
  const char* error = nullptr;
};

/// Names a piece of punctuation.
[[nodiscard]] constexpr std::uint16_t mark(std::string_view text) {
  const unsigned second = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0U;
  return static_cast<std::uint16_t>(static_cast<unsigned char>(text[0]) | second << 8U);
}

/// Whether the character may stand in an identifier after its first.
[[nodiscard]] bool is_name_character(char character);

/// Reads tokens from a text that ends with NUL and has no other one. Blanks and comments are
/// skipped.
class Lexer {
public:
  explicit Lexer(const char* text) : at_(text), line_start_(text) {}

  [[nodiscard]] Token next();

private:
  /// False if a comment does not end.
  bool skip_blanks();
  void read_number(Token& token);
  void read_bits_literal(Token& token, TokenKind kind, unsigned digits);
  void read_integer(Token& token, const char* digits, unsigned base);
  void read_decimal(Token& token);
  void read_string(Token& token);
  void read_dot_word(Token& token);
  void finish_number(Token& token);
  void fail(Token& token, const char* reason);

  const char* at_;
  const char* line_start_;
  std::uint32_t line_ = 1;
};

} // namespace gantry::simt::ptx
