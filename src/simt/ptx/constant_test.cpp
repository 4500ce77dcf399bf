#include "simt/ptx/test_support.h"

#include <bit>

namespace gantry::simt::ptx {
namespace {

Operand constant(const std::string& text) {
  const auto module = module_with("mov.b64 %rd1, " + text + ";");
  return kernel_of(*module).instructions.at(0).operands.at(1);
}

TEST(Constant, Integers) {
  const std::pair<std::string, std::int64_t> cases[] = {
      {"0", 0},
      {"123", 123},
      {"123U", 123},
      {"-7", -7},
      {"- 7", -7},
      {"0x1F", 31},
      {"0XabU", 171},
      {"017", 15},
      {"0b101", 5},
      {"18446744069414584448", static_cast<std::int64_t>(18446744069414584448ULL)},
      {"0xFFFFFFFFFFFFFFFF", -1},
      {"-9223372036854775808", INT64_MIN},
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"10 - 4 - 3", 3},
      {"7 % 4", 3},
      {"-7 / 2", -3},
      {"1 << 4 | 1", 17},
      {"-8 >> 1", -4},
      {"0xFFFFFFFFFFFFFFFF >> 60", 15},
      {"(0xF0 & 0xCC) ^ 0xAA", 0x6A},
      {"~0", -1},
      {"!5", 0},
      {"5 > 3 ? 10 : 20", 10},
      {"1 && 0 || 1", 1},
      {"-1 < 1", 1},
      {"-1 < 1U", 0},
      {"(.u64)-1 / 2", INT64_MAX},
      {"3 == 3", 1},
      {"3 != 3", 0},
      {"WARP_SZ - 1", 31},
  };
  for (const auto& [text, value] : cases) {
    const Operand operand = constant(text);
    EXPECT_EQ(operand.kind, Operand::Kind::kInteger) << text;
    EXPECT_EQ(operand.value, value) << text;
  }
}

TEST(Constant, FloatingPoint) {
  EXPECT_EQ(constant("0f3F800000").kind, Operand::Kind::kFloat32);
  EXPECT_EQ(constant("0f3F800000").value, 0x3F800000);
  EXPECT_EQ(constant("0F3f800000").value, 0x3F800000);
  EXPECT_EQ(constant("-0f3F800000").value, 0xBF800000);
  const std::pair<std::string, double> cases[] = {
      {"0d40091EB851EB851F", 3.14},
      {"1.5", 1.5},
      {"-1.5", -1.5},
      {"1e3", 1000},
      {"2.5e-1", 0.25},
      {"1.", 1},
      {"1.0e+2", 100},
      {"1.5 + 2.5", 4},
  };
  for (const auto& [text, value] : cases) {
    const Operand operand = constant(text);
    EXPECT_EQ(operand.kind, Operand::Kind::kFloat64) << text;
    EXPECT_EQ(std::bit_cast<double>(operand.value), value) << text;
  }
}

TEST(Constant, ThoseThatAreWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"18446744073709551616", "Constant overflow"},
      {"0x10000000000000000", "Constant overflow"},
      {"-18446744073709551615", "Constant overflow"},
      {"9223372036854775807 + 1", "Constant overflow"},
      {"1 << 64", "Constant overflow"},
      {"-9223372036854775808 / -1", "Constant overflow"},
      {"1e999", "Constant overflow"},
      {"1 / 0", "Division by zero in a constant expression"},
      {"1 / (2 - 2)", "Division by zero in a constant expression"},
      {"0x", "A number needs digits"},
      {"12ab", "A number ends with a character that is none of its digits"},
      {"019", "A number ends with a character that is none of its digits"},
      {"0f3F80", "A literal 0f needs 8 hexadecimal digits"},
      {"0f3F8000001", "A number ends with a character that is none of its digits"},
      {"0d3FF", "A literal 0d needs 16 hexadecimal digits"},
      {"1 + 1.5", "An integer and a floating-point number cannot be combined"},
      {"~1.5", "The operator needs an integer"},
      {"1.5 | 1.5", "The operator needs integers"},
      {"(1", "Parsing error near ';': syntax error, ')' expected"},
      {"1 +", "Parsing error near ';': syntax error, a constant expected"},
  };
  for (const auto& [text, message] : cases) {
    const std::string error = error_of(kernel_text("mov.b64 %rd1, " + text + ";"));
    EXPECT_TRUE(error.starts_with("9:") && error.ends_with(" " + message)) << text << ": " << error;
  }
}

TEST(Constant, DeepNestingIsRefused) {
  const std::string message = "The constant expression is nested too deeply";
  for (const char* open : {"(", "-", "1?", "1+(", "~"}) {
    std::string text;
    for (int depth = 0; depth < 100'000; ++depth) {
      text += open;
    }
    EXPECT_TRUE(error_of(kernel_text("mov.b64 %rd1, " + text)).ends_with(message)) << open;
  }
}

} // namespace
} // namespace gantry::simt::ptx
