#include "simt/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>

namespace gantry::simt::ptx {
namespace {

enum CharacterClass : std::uint8_t {
  kBlank = 1,
  kDigit = 2,
  kFollow = 4, ///< letters, digits, _ and $
  kStart = 8,  ///< what may begin an identifier; for % another character must follow
};

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes = {};
  for (const char blank : {' ', '\t', '\r', '\n', '\f', '\v'}) {
    classes[static_cast<unsigned char>(blank)] = kBlank;
  }
  for (unsigned character = '0'; character <= '9'; ++character) {
    classes[character] = kDigit | kFollow;
  }
  for (unsigned letter = 0; letter < 26; ++letter) {
    classes['a' + letter] = kStart | kFollow;
    classes['A' + letter] = kStart | kFollow;
  }
  classes['_'] = kStart | kFollow;
  classes['$'] = kStart | kFollow;
  classes['%'] = kStart;
  return classes;
}();

bool is(char character, CharacterClass wanted) {
  return (kClasses[static_cast<unsigned char>(character)] & wanted) != 0;
}

unsigned digit_of(char character) {
  if (character >= '0' && character <= '9') {
    return static_cast<unsigned>(character - '0');
  }
  const char lower = static_cast<char>(character | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + 10 : 99;
}

bool is_double_mark(char first, char second) {
  switch (first) {
  case '<':
    return second == '<' || second == '=';
  case '>':
    return second == '>' || second == '=';
  case '=':
  case '!':
    return second == '=';
  case '&':
    return second == '&';
  case '|':
    return second == '|';
  default:
    return false;
  }
}

/// The text from where the token begins to `end`.
std::string_view from_start(const Token& token, const char* end) {
  const char* start = token.text.data();
  return {start, static_cast<std::size_t>(end - start)};
}

} // namespace

bool is_name_character(char character) {
  return is(character, kFollow);
}

void Lexer::fail(Token& token, const char* reason) {
  token.kind = TokenKind::kError;
  token.error = reason;
  token.text = from_start(token, at_);
}

bool Lexer::skip_blanks() {
  while (true) {
    const char character = *at_;
    if (character == '\n') {
      ++at_;
      ++line_;
      line_start_ = at_;
    } else if (is(character, kBlank)) {
      ++at_;
    } else if (character == '/' && at_[1] == '/') {
      while (*at_ != '\n' && *at_ != '\0') {
        ++at_;
      }
    } else if (character == '/' && at_[1] == '*') {
      const char* begin = at_;
      std::uint32_t line = line_;
      const char* line_start = line_start_;
      for (at_ += 2; *at_ != '*' || at_[1] != '/'; ++at_) {
        if (*at_ == '\0') {
          at_ = begin;
          return false;
        }
        if (*at_ == '\n') {
          ++line;
          line_start = at_ + 1;
        }
      }
      at_ += 2;
      line_ = line;
      line_start_ = line_start;
    } else {
      return true;
    }
  }
}

Token Lexer::next() {
  const bool comments_end = skip_blanks();
  Token token;
  token.location = {line_, static_cast<std::uint32_t>(at_ - line_start_) + 1};
  token.text = std::string_view(at_, at_);
  if (!comments_end) {
    fail(token, "Parsing error near '/*': the comment does not end");
    return token;
  }
  const char first = *at_;
  if (is(first, kStart) && (first != '%' || is(at_[1], kFollow))) {
    token.kind = TokenKind::kIdentifier;
    do {
      ++at_;
    } while (is(*at_, kFollow));
  } else if (first == '.' && is(at_[1], kFollow)) {
    read_dot_word(token);
    return token;
  } else if (is(first, kDigit)) {
    read_number(token);
  } else if (first == '"') {
    read_string(token);
    return token;
  } else if (first == '\0') {
    token.kind = TokenKind::kEnd;
    return token;
  } else {
    token.kind = TokenKind::kMark;
    const bool two = is_double_mark(first, at_[1]);
    token.mark = mark({at_, two ? 2U : 1U});
    at_ += two ? 2 : 1;
  }
  token.text = from_start(token, at_);
  return token;
}

void Lexer::read_dot_word(Token& token) {
  token.kind = TokenKind::kDotWord;
  const char* begin = ++at_;
  while (is(*at_, kFollow)) {
    ++at_;
  }
  while (at_[0] == ':' && at_[1] == ':' && is(at_[2], kFollow)) {
    at_ += 3;
    while (is(*at_, kFollow)) {
      ++at_;
    }
  }
  token.text = {begin, static_cast<std::size_t>(at_ - begin)};
}

void Lexer::read_string(Token& token) {
  token.kind = TokenKind::kString;
  const char* begin = ++at_;
  while (*at_ != '"') {
    if (*at_ == '\0' || *at_ == '\n') {
      fail(token, "Parsing error near '\"': the string does not end");
      return;
    }
    at_ += *at_ == '\\' && at_[1] != '\0' && at_[1] != '\n' ? 2 : 1;
  }
  token.text = {begin, static_cast<std::size_t>(at_ - begin)};
  ++at_;
}

void Lexer::read_number(Token& token) {
  const char second = at_[1];
  if (*at_ == '0' && (second == 'x' || second == 'X')) {
    read_integer(token, at_ + 2, 16);
  } else if (*at_ == '0' && (second == 'f' || second == 'F')) {
    read_bits_literal(token, TokenKind::kFloat32, 8);
  } else if (*at_ == '0' && (second == 'd' || second == 'D')) {
    read_bits_literal(token, TokenKind::kFloat64, 16);
  } else if (*at_ == '0' && (second == 'b' || second == 'B')) {
    read_integer(token, at_ + 2, 2);
  } else {
    const char* end = at_;
    while (is(*end, kDigit)) {
      ++end;
    }
    const bool fraction = *end == '.' && !is(end[1], kStart);
    const bool exponent =
        (*end == 'e' || *end == 'E') &&
        (is(end[1], kDigit) || ((end[1] == '+' || end[1] == '-') && is(end[2], kDigit)));
    if (fraction || exponent) {
      read_decimal(token);
    } else if (*at_ == '0' && is(second, kDigit)) {
      read_integer(token, at_ + 1, 8);
    } else {
      read_integer(token, at_, 10);
    }
  }
}

void Lexer::read_bits_literal(Token& token, TokenKind kind, unsigned digits) {
  token.kind = kind;
  at_ += 2;
  for (unsigned index = 0; index < digits; ++index, ++at_) {
    const unsigned digit = digit_of(*at_);
    if (digit > 15) {
      at_ += is(*at_, kFollow) ? 1 : 0;
      fail(token, kind == TokenKind::kFloat32 ? "A literal 0f needs 8 hexadecimal digits"
                                              : "A literal 0d needs 16 hexadecimal digits");
      return;
    }
    token.value = token.value << 4U | digit;
  }
  finish_number(token);
}

void Lexer::read_integer(Token& token, const char* digits, unsigned base) {
  token.kind = TokenKind::kInteger;
  at_ = digits;
  bool overflow = false;
  for (; digit_of(*at_) < base; ++at_) {
    overflow |= __builtin_mul_overflow(token.value, base, &token.value);
    overflow |= __builtin_add_overflow(token.value, digit_of(*at_), &token.value);
  }
  if (at_ == digits) {
    fail(token, "A number needs digits");
    return;
  }
  token.is_unsigned = token.value >> 63U != 0;
  if (*at_ == 'U') {
    token.is_unsigned = true;
    ++at_;
  }
  finish_number(token);
  if (overflow && token.kind != TokenKind::kError) {
    fail(token, "Constant overflow");
  }
}

void Lexer::read_decimal(Token& token) {
  token.kind = TokenKind::kFloat64;
  const char* begin = at_;
  const auto skip_digits = [this] {
    while (is(*at_, kDigit)) {
      ++at_;
    }
  };
  skip_digits();
  if (*at_ == '.') {
    ++at_;
    skip_digits();
  }
  if ((*at_ == 'e' || *at_ == 'E') &&
      (is(at_[1], kDigit) || ((at_[1] == '+' || at_[1] == '-') && is(at_[2], kDigit)))) {
    at_ += 2;
    skip_digits();
  }
  double value = 0;
  if (std::from_chars(begin, at_, value).ec != std::errc()) {
    fail(token, "Constant overflow");
    return;
  }
  token.value = std::bit_cast<std::uint64_t>(value);
  finish_number(token);
}

void Lexer::finish_number(Token& token) {
  if (is(*at_, kFollow)) {
    do {
      ++at_;
    } while (is(*at_, kFollow));
    fail(token, "A number ends with a character that is none of its digits");
  }
}

} // namespace gantry::simt::ptx
