#include "simt/ptx/test_support.h"

namespace gantry::simt::ptx {
namespace {

Variable variable_of(const std::string& directive) {
  const auto module = module_of(directive);
  Variable variable = module->variables.back();
  variable.name = {};
  return variable;
}

TEST(Declaration, SizesAndAlignments) {
  struct Case {
    std::string text;
    std::uint64_t count;
    std::uint64_t size;
    std::uint32_t alignment;
  };
  const Case cases[] = {
      {".global .u32 x;", 1, 4, 4},
      {".global .align 8 .u32 x;", 1, 4, 8},
      {".global .align 1 .b8 x[17];", 17, 17, 1},
      {".global .v4 .f32 x;", 1, 16, 16},
      {".global .v2 .u64 x[3];", 3, 48, 16},
      {".global .u16 x[2][3];", 6, 12, 2},
      {".global .b128 x;", 1, 16, 16},
      {".const .u32 x[] = {1, 2, 3};", 3, 12, 4},
      {".global .u32 x[][2] = {{1}, {2, 3}};", 4, 16, 4},
      {".extern .shared .align 16 .b8 x[];", 0, 0, 16},
      {".extern .global .u32 x[8];", 8, 32, 4},
      {".global .b8 x[1099511627776];", 1ULL << 40U, 1ULL << 40U, 1},
      {".global .u32 x[2+2*3];", 8, 32, 4},
  };
  for (const Case& test : cases) {
    const Variable variable = variable_of(test.text);
    EXPECT_EQ(variable.count, test.count) << test.text;
    EXPECT_EQ(variable.size(), test.size) << test.text;
    EXPECT_EQ(variable.alignment, test.alignment) << test.text;
  }
}

TEST(Declaration, LinkageSpaceAndAttributes) {
  EXPECT_EQ(variable_of(".visible .global .u32 x;").linkage, Linkage::kVisible);
  EXPECT_EQ(variable_of(".weak .global .u32 x;").linkage, Linkage::kWeak);
  EXPECT_EQ(variable_of(".common .global .u32 x;").linkage, Linkage::kCommon);
  EXPECT_EQ(variable_of(".extern .const .u32 x;").space, Space::kConst);
  EXPECT_EQ(variable_of(".shared .u32 x;").space, Space::kShared);
  EXPECT_EQ(variable_of(".shared .u32 x;").linkage, Linkage::kPrivate);
  EXPECT_TRUE(variable_of(".global .attribute(.managed) .align 4 .u32 x;").managed);
  EXPECT_TRUE(variable_of(".global .attribute(.managed, .unified(1, 2)) .u32 x;").managed);
}

std::vector<std::uint64_t> bits_of(const std::string& directive) {
  std::vector<std::uint64_t> bits;
  for (const InitialValue& value : variable_of(directive).initial) {
    EXPECT_FALSE(value.symbol);
    bits.push_back(value.bits);
  }
  return bits;
}

TEST(Declaration, InitialNumbers) {
  const std::pair<std::string, std::vector<std::uint64_t>> cases[] = {
      {".global .u32 x = 5;", {5}},
      {".global .u32 x = -1;", {0xFFFFFFFF}},
      {".global .u8 x[2] = {-1, 300};", {0xFF, 44}},
      {".global .u64 x = -1;", {UINT64_MAX}},
      {".global .b8 x[10] = {1, 2, 3};", {1, 2, 3}},
      {".global .b8 x[10] = {};", {}},
      {".global .f32 x = 1.5;", {0x3FC00000}},
      {".global .f32 x = 0d3FF0000000000000;", {0x3F800000}},
      {".global .f64 x = 0f3F800000;", {0x3FF0000000000000}},
      {".global .f64 x[2] = {-1.5, 0d3FF8000000000000};", {0xBFF8000000000000, 0x3FF8000000000000}},
      {".global .b32 x = 0f3F800000;", {0x3F800000}},
      {".global .b64 x = 1.5;", {0x3FF8000000000000}},
      {".global .u32 x[2][2] = {{1}, {2, 3}};", {1, 0, 2, 3}},
      {".global .u32 x[3][2] = {{1, 2}, {}, {3}};", {1, 2, 0, 0, 3}},
      {".global .v2 .u32 x = {5, 6};", {5, 6}},
      {".global .v2 .u32 x[2] = {{5, 6}, {7, 8}};", {5, 6, 7, 8}},
      {".global .u32 x = (1 << 4) + 1;", {17}},
      {".global .u32 x = WARP_SZ;", {32}},
  };
  for (const auto& [text, bits] : cases) {
    EXPECT_EQ(bits_of(text), bits) << text;
  }
}

TEST(Declaration, InitialAddresses) {
  const auto module = module_of(".global .u32 a[4];\n.func f() { ret; }\n"
                                ".global .u64 x[6] = {a, a+4, generic(a), generic(a)+8, f, a+-4};\n"
                                ".global .b8 y[3] = {0xFF(a), 0xFF00(generic(a)+4), "
                                "0xFF00000000000000(f)};");
  const std::vector<InitialValue>& x = module->variables[1].initial;
  ASSERT_EQ(x.size(), 6U);
  EXPECT_EQ(x[0].symbol, module->find("a"));
  EXPECT_FALSE(x[0].generic);
  EXPECT_EQ(x[1].bits, 4U);
  EXPECT_TRUE(x[2].generic);
  EXPECT_EQ(x[3].bits, 8U);
  EXPECT_EQ(x[4].symbol, module->find("f"));
  EXPECT_EQ(x[5].bits, static_cast<std::uint64_t>(-4));
  const std::vector<InitialValue>& y = module->variables[2].initial;
  ASSERT_EQ(y.size(), 3U);
  EXPECT_TRUE(y[0].masked);
  EXPECT_EQ(y[0].mask_shift, 0);
  EXPECT_EQ(y[1].mask_shift, 8);
  EXPECT_EQ(y[1].bits, 4U);
  EXPECT_TRUE(y[1].generic);
  EXPECT_EQ(y[2].mask_shift, 56);
}

TEST(Declaration, DeclaredAgain) {
  const auto module = module_of(".extern .global .u32 x[];\n.extern .global .u32 x[4];\n"
                                ".visible .global .u32 x[4] = {1};\n.extern .global .u32 x[];\n");
  ASSERT_EQ(module->symbols.size(), 1U);
  ASSERT_EQ(module->variables.size(), 1U);
  EXPECT_EQ(module->variables[0].linkage, Linkage::kVisible);
  EXPECT_EQ(module->variables[0].initial.size(), 1U);
}

TEST(Declaration, ThoseThatAreWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {".global .align 3 .u32 x;", "4:16 Alignment must be a power of two"},
      {".global .align 0 .u32 x;", "4:16 Alignment must be a power of two"},
      {".global .align 2097152 .u32 x;", "4:16 Alignment 2097152 is more than 1048576"},
      {".global .texref x;", "4:9 Type '.texref' is not supported"},
      {".global .pred x;", "4:9 Predicate variables must be in register state space"},
      {".global x;", "4:9 Parsing error near 'x': syntax error, a type expected"},
      {".global .u32 .u64 x;", "4:14 Parsing error near '.u64': syntax error, a name expected"},
      {".global .u32 x", "4:15 Unexpected end of the text, ';' expected"},
      {".global .u32 x y;", "4:16 Parsing error near 'y': syntax error, ';' expected"},
      {".global .u32 x<4>;", "4:14 'x' is a variable of the module and cannot be one of many"},
      {".reg .u32 x;", "4:1 Module-scoped variables in .reg state space are not allowed"},
      {".local .u32 x;", "4:1 Module-scoped variables in .local state space are not allowed"},
      {".global .u32 x[];", "4:14 Non-external variable 'x' has incomplete type"},
      {".global .u32 x[0];", "4:14 Non-external variable 'x' has incomplete type"},
      {".global .u32 x[4][];", "4:19 Only the first dimension of an array may be left open"},
      {".global .u32 x[-1];", "4:16 The size of an array must be a natural number"},
      {".global .u32 x[1.5];", "4:16 The size of an array must be a natural number"},
      {".global .b8 x[1099511627777];", "4:13 Variable 'x' has more than 1099511627776 bytes"},
      {".global .u64 x[4294967296][4294967296];",
       "4:14 Variable 'x' has more than 1099511627776 bytes"},
      {".shared .u64 x[536870912];", "4:14 Variable 'x' has more than 2147483647 bytes"},
      {".global .u32 x[][99999999999999] = {{1}};",
       "4:14 Variable 'x' has more than 1099511627776 bytes"},
      {".global .u32 x = 1.5;", "4:18 Initial value type mismatch"},
      {".global .f32 x = 1;", "4:18 Initial value type mismatch"},
      {".global .b16 x = 1.5;", "4:18 Initial value type mismatch"},
      {".global .u32 x = {5};",
       "4:18 Parsing error near '{': syntax error, an initial value expected"},
      {".global .u32 x[2] = 5;", "4:21 Initial value type mismatch"},
      {".global .u32 x[2] = {1, 2, 3};", "4:28 Greater number of elements in array initializer"},
      {".global .u32 x[2][2] = {1, 2};", "4:25 Initial value type mismatch"},
      {".global .u32 x[2] = {1, 2;", "4:26 Parsing error near ';': syntax error, '}' expected"},
      {".global .u32 x[900000][900000] = {{1}, {2}, {3}};",
       "4:14 Variable 'x' has more than 1099511627776 bytes"},
      {".global .u8 x[4][9000000] = {{1}, {2}};", "4:35 Too much is declared in one module"},
      {".global .f16 x = 1;", "4:18 No initial value is allowed for .f16 type"},
      {".shared .u32 x = 1;", "4:16 No initial value is allowed for 'x' in this state space"},
      {".extern .global .u32 x = 1;", "4:24 No initial value is allowed for external symbol 'x'"},
      {".global .u64 x = y;", "4:18 Invalid initial value symbol 'y'"},
      {".global .u64 x = x;", "4:18 Invalid initial value symbol 'x'"},
      {".global .u64 x = generic(y);", "4:26 Invalid initial value symbol 'y'"},
      {".global .u32 a;\n.global .u64 x = generic(a;",
       "5:27 Parsing error near ';': syntax error, ')' expected"},
      {".global .u32 a;\n.global .b8 x = 0xFE(a);",
       "5:17 The mask of an address must select one byte"},
      {".global .u32 a;\n.global .b8 x = 0xFF0(a);",
       "5:17 The mask of an address must select one byte"},
      {".global .u32 a;\n.global .b8 x = 0(a);",
       "5:17 The mask of an address must select one byte"},
      {".global .u32 a;\n.global .u16 x = a;", "5:18 Initial value type mismatch"},
      {".global .u32 a;\n.global .f64 x = a;", "5:18 Initial value type mismatch"},
      {".global .u32 x;\n.global .u32 x;", "5:14 Duplicate definition of variable 'x'"},
      {".weak .global .u32 x;\n.weak .global .u32 x;", "5:20 Duplicate definition of variable 'x'"},
      {".extern .global .u32 x[4];\n.visible .global .u32 x[2];",
       "5:23 Inconsistent redefinition of variable 'x'"},
      {".extern .const .u32 x;\n.visible .global .u32 x;",
       "5:23 Inconsistent redefinition of variable 'x'"},
      {".func f();\n.global .u32 f;", "5:14 Duplicate definition of variable 'f'"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_of(text), message) << text;
  }
}

} // namespace
} // namespace gantry::simt::ptx
