#include "simt/ptx/constant.h"

#include <bit>

namespace gantry::simt::ptx {
namespace {

/// How deep parentheses and unary operators may be nested.
constexpr unsigned kMaxDepth = 100;

constexpr unsigned kTernary = 1;

/// How strongly a binary operator binds; 0 if it is none.
unsigned precedence(const Token& token) {
  switch (token.mark) {
  case mark("?"):
    return kTernary;
  case mark("||"):
    return 2;
  case mark("&&"):
    return 3;
  case mark("|"):
    return 4;
  case mark("^"):
    return 5;
  case mark("&"):
    return 6;
  case mark("=="):
  case mark("!="):
    return 7;
  case mark("<"):
  case mark("<="):
  case mark(">"):
  case mark(">="):
    return 8;
  case mark("<<"):
  case mark(">>"):
    return 9;
  case mark("+"):
  case mark("-"):
    return 10;
  case mark("*"):
  case mark("/"):
  case mark("%"):
    return 11;
  default:
    return 0;
  }
}

Constant of_double(double value) {
  return {Constant::Kind::kFloat64, false, std::bit_cast<std::uint64_t>(value)};
}

Constant of_bool(bool value) {
  return {Constant::Kind::kInteger, false, value ? 1U : 0U};
}

class ExpressionParser {
public:
  explicit ExpressionParser(Cursor& cursor) : cursor_(cursor) {}

  bool expression(Constant& result, unsigned weakest) {
    return unary(result, '\0') && rest(result, weakest);
  }

  bool rest(Constant& left, unsigned weakest) {
    while (true) {
      const Token operation = cursor_.token();
      const unsigned strength = precedence(operation);
      if (strength == 0 || strength < weakest) {
        return true;
      }
      cursor_.next();
      if (strength == kTernary) {
        if (!ternary(left)) {
          return false;
        }
        continue;
      }
      Constant right;
      if (!deeper(operation) || !expression(right, strength + 1)) {
        return false;
      }
      --depth_;
      if (!apply(operation, left, right)) {
        return false;
      }
    }
  }

  bool unary(Constant& result, char sign) {
    const Token token = cursor_.token();
    if (sign == '\0') {
      for (const char candidate : {'+', '-', '!', '~'}) {
        if (cursor_.accept(candidate)) {
          sign = candidate;
          break;
        }
      }
      if (sign == '\0') {
        return primary(result);
      }
    }
    if (!deeper(token) || !unary(result, '\0')) {
      return false;
    }
    --depth_;
    return apply_sign(token, sign, result);
  }

private:
  bool deeper(const Token& token) {
    return ++depth_ <= kMaxDepth ||
           cursor_.fail(token.location, "The constant expression is nested too deeply");
  }

  bool primary(Constant& result) {
    const Token token = cursor_.token();
    switch (token.kind) {
    case TokenKind::kInteger:
      result = {Constant::Kind::kInteger, token.is_unsigned, token.value};
      break;
    case TokenKind::kFloat32:
      result = {Constant::Kind::kFloat32, false, token.value};
      break;
    case TokenKind::kFloat64:
      result = {Constant::Kind::kFloat64, false, token.value};
      break;
    case TokenKind::kIdentifier:
      if (token.text != "WARP_SZ") {
        return cursor_.syntax_error("a constant");
      }
      result = {Constant::Kind::kInteger, false, 32};
      break;
    default:
      return cursor_.at('(') ? parenthesis(result) : cursor_.syntax_error("a constant");
    }
    cursor_.next();
    return true;
  }

  bool parenthesis(Constant& result) {
    const Token token = cursor_.token();
    cursor_.next();
    if (!deeper(token)) {
      return false;
    }
    const bool to_unsigned = cursor_.at_dot_word("u64");
    if (to_unsigned || cursor_.at_dot_word("s64")) {
      cursor_.next();
      if (!cursor_.expect(')') || !unary(result, '\0')) {
        return false;
      }
      if (!result.is_integer()) {
        return cursor_.fail(token.location, "Only an integer can be converted");
      }
      result.is_unsigned = to_unsigned;
    } else if (!expression(result, kTernary) || !cursor_.expect(')')) {
      return false;
    }
    --depth_;
    return true;
  }

  bool ternary(Constant& condition) {
    Constant yes;
    Constant no;
    const Token token = cursor_.token();
    if (!condition.is_integer()) {
      return cursor_.fail(token.location, "A condition must be an integer");
    }
    if (!deeper(token) || !expression(yes, kTernary) || !cursor_.expect(':') ||
        !expression(no, kTernary)) {
      return false;
    }
    --depth_;
    condition = condition.bits != 0 ? yes : no;
    return true;
  }

  bool apply_sign(const Token& token, char sign, Constant& value) {
    if (!value.is_integer()) {
      if (sign == '-') {
        value.bits ^= value.kind == Constant::Kind::kFloat32 ? 1ULL << 31U : 1ULL << 63U;
      }
      return sign == '-' || sign == '+' ||
             cursor_.fail(token.location, "The operator needs an integer");
    }
    if (sign == '-') {
      if (value.is_unsigned && value.bits > 1ULL << 63U) {
        return cursor_.fail(token.location, "Constant overflow");
      }
      value.bits = 0 - value.bits;
      value.is_unsigned = false;
    } else if (sign == '!') {
      value = of_bool(value.bits == 0);
    } else if (sign == '~') {
      value.bits = ~value.bits;
    }
    return true;
  }

  bool apply(const Token& operation, Constant& left, const Constant& right) {
    if (left.is_integer() != right.is_integer()) {
      return cursor_.fail(operation.location,
                          "An integer and a floating-point number cannot be combined");
    }
    if (!left.is_integer()) {
      return apply_to_floats(operation, left, right);
    }
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    const auto a = static_cast<std::int64_t>(left.bits);
    const auto b = static_cast<std::int64_t>(right.bits);
    const auto compare = [&](auto x, auto y) {
      switch (operation.mark) {
      case mark("<"):
        return x < y;
      case mark("<="):
        return x <= y;
      case mark(">"):
        return x > y;
      default:
        return x >= y;
      }
    };
    bool overflow = false;
    std::int64_t signed_result = 0;
    switch (operation.mark) {
    case mark("||"):
      left = of_bool(a != 0 || b != 0);
      return true;
    case mark("&&"):
      left = of_bool(a != 0 && b != 0);
      return true;
    case mark("=="):
      left = of_bool(a == b);
      return true;
    case mark("!="):
      left = of_bool(a != b);
      return true;
    case mark("<"):
    case mark("<="):
    case mark(">"):
    case mark(">="):
      left = of_bool(is_unsigned ? compare(left.bits, right.bits) : compare(a, b));
      return true;
    case mark("|"):
      left.bits |= right.bits;
      break;
    case mark("^"):
      left.bits ^= right.bits;
      break;
    case mark("&"):
      left.bits &= right.bits;
      break;
    case mark("<<"):
    case mark(">>"):
      if (right.bits > 63) {
        return cursor_.fail(operation.location, "Constant overflow");
      }
      if (operation.mark == mark("<<")) {
        left.bits <<= right.bits;
      } else {
        left.bits = left.is_unsigned ? left.bits >> right.bits
                                     : static_cast<std::uint64_t>(a >> right.bits);
      }
      return true;
    case mark("+"):
      overflow = __builtin_add_overflow(a, b, &signed_result);
      left.bits += right.bits;
      break;
    case mark("-"):
      overflow = __builtin_sub_overflow(a, b, &signed_result);
      left.bits -= right.bits;
      break;
    case mark("*"):
      overflow = __builtin_mul_overflow(a, b, &signed_result);
      left.bits *= right.bits;
      break;
    default:
      if (right.bits == 0) {
        return cursor_.fail(operation.location, "Division by zero in a constant expression");
      }
      overflow = a == INT64_MIN && b == -1;
      if (!overflow || is_unsigned) {
        const bool quotient = operation.mark == mark("/");
        left.bits = is_unsigned ? (quotient ? left.bits / right.bits : left.bits % right.bits)
                                : static_cast<std::uint64_t>(quotient ? a / b : a % b);
      }
    }
    if (overflow && !is_unsigned) {
      return cursor_.fail(operation.location, "Constant overflow");
    }
    left.is_unsigned = is_unsigned;
    return true;
  }

  bool apply_to_floats(const Token& operation, Constant& left, const Constant& right) {
    const double a = left.as_double();
    const double b = right.as_double();
    switch (operation.mark) {
    case mark("+"):
      left = of_double(a + b);
      return true;
    case mark("-"):
      left = of_double(a - b);
      return true;
    case mark("*"):
      left = of_double(a * b);
      return true;
    case mark("/"):
      left = of_double(a / b);
      return true;
    default:
      return cursor_.fail(operation.location, "The operator needs integers");
    }
  }

  Cursor& cursor_;
  unsigned depth_ = 0;
};

} // namespace

double Constant::as_double() const {
  return kind == Kind::kFloat32
             ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
             : std::bit_cast<double>(bits);
}

bool begins_constant(const Token& token) {
  switch (token.kind) {
  case TokenKind::kInteger:
  case TokenKind::kFloat32:
  case TokenKind::kFloat64:
    return true;
  case TokenKind::kMark:
    return token.mark == '+' || token.mark == '-' || token.mark == '!' || token.mark == '~' ||
           token.mark == '(';
  default:
    return false;
  }
}

bool parse_constant(Cursor& cursor, Constant& result, char sign) {
  ExpressionParser parser(cursor);
  return parser.unary(result, sign) && parser.rest(result, kTernary);
}

bool continue_constant(Cursor& cursor, Constant& first) {
  return ExpressionParser(cursor).rest(first, kTernary);
}

std::uint32_t float32_bits(const Constant& constant) {
  return constant.kind == Constant::Kind::kFloat32
             ? static_cast<std::uint32_t>(constant.bits)
             : std::bit_cast<std::uint32_t>(static_cast<float>(constant.as_double()));
}

std::uint64_t float64_bits(const Constant& constant) {
  return constant.kind == Constant::Kind::kFloat64
             ? constant.bits
             : std::bit_cast<std::uint64_t>(constant.as_double());
}

} // namespace gantry::simt::ptx
