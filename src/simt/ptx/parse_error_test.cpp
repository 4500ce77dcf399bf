// Texts that are wrong, each with its message and its place.

#include "simt/ptx/test_support.h"

namespace gantry::simt::ptx {
namespace {

TEST(ParseError, HeadOfAModule) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "1:1 Missing .version directive at start of file"},
      {"// only a comment", "1:18 Missing .version directive at start of file"},
      {".target sm_80", "1:1 Missing .version directive at start of file"},
      {"\x7F"
       "ELF",
       "1:1 Missing .version directive at start of file"},
      {"/* never ends", "1:1 Parsing error near '/*': the comment does not end"},
      {".version 8\n", "1:10 Parsing error near '8': syntax error, a version expected"},
      {".version 8.x\n", "1:10 Parsing error near '8': syntax error, a version expected"},
      {".version 1e2\n", "1:10 Parsing error near '1e2': syntax error, a version expected"},
      {".version 9.2", "1:10 Unsupported .version 9.2; current version is '9.1'"},
      {".version 10.0", "1:10 Unsupported .version 10.0; current version is '9.1'"},
      {".version 8.0\n.entry k() { ret; }", "2:1 Missing .target directive at start of file"},
      {".version 8.0\n.target debug\n", "3:1 Missing target architecture"},
      {".version 8.0\n.target gfx90a", "2:9 Unknown target 'gfx90a'"},
      {".version 8.0\n.target sm_", "2:9 Unknown target 'sm_'"},
      {".version 8.0\n.target sm_80xyz", "2:9 Unknown target 'sm_80xyz'"},
      {".version 8.0\n.target sm_80\n.address_size 32",
       "3:15 Unsupported .address_size 32, only 64 is supported"},
  };
  for (const auto& [text, message] : cases) {
    const auto module = parse(text, "");
    ASSERT_FALSE(module) << text;
    const Location location = module.error().location;
    EXPECT_EQ(std::to_string(location.line) + ":" + std::to_string(location.column) + " " +
                  module.error().message,
              message)
        << text;
  }
}

TEST(ParseError, Directives) {
  const std::pair<std::string, std::string> cases[] = {
      {";", "4:1 Parsing error near ';': syntax error, a directive expected"},
      {".version 8.0", "4:1 Parsing error near '.version': syntax error, a declaration expected"},
      {".rubbish", "4:1 Parsing error near '.rubbish': syntax error, a declaration expected"},
      {".visible", "4:9 Unexpected end of the text, a declaration expected"},
      {".visible .visible",
       "4:10 Parsing error near '.visible': syntax error, a declaration expected"},
      {"\x01", "4:1 Parsing error near '\\x01': syntax error, a directive expected"},
      {".file one \"a\"", "4:7 Parsing error near 'one': syntax error, a number expected"},
      {".file 1 a", "4:9 Parsing error near 'a': syntax error, a string expected"},
      {".file 1 \"a", "4:9 Parsing error near '\"': the string does not end"},
      {".file 1 \"a\n\"", "4:9 Parsing error near '\"': the string does not end"},
      {".file 4294967296 \"a\"", "4:7 Constant overflow"},
      {".pragma x;", "4:9 Parsing error near 'x': syntax error, a string expected"},
      {".section .debug { .b8 1", "4:24 Unexpected end of the text, '}' expected"},
      {".section .debug { ( }", "4:21 Parsing error near '}': syntax error, ')' expected"},
      {".section { }", "4:10 Parsing error near '{': syntax error, a name expected"},
      {".loc 1 2", "4:9 Unexpected end of the text, a number expected"},
      {".alias a, b;", "4:8 Unknown symbol 'a'"},
      {".global .u32 a;\n.func b() { ret; }\n.alias a, b;", "6:8 'a' is not a function"},
      {".func a();\n.func b();\n.alias a, b;", "6:8 Alias 'a' of 'b', which is not defined"},
      {".func a();\n.func b(.param .b32 x) { ret; }\n.alias a, b;",
       "6:8 'a' and 'b' are not declared alike"},
      {".func a() { ret; }\n.func b() { ret; }\n.alias a, b;",
       "6:8 Duplicate definition of function 'a'"},
      {".func a();\n.func b() { ret; }\n.alias a, b;\n.func a() { ret; }",
       "7:7 Duplicate definition of function 'a'"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_of(text), message) << text;
  }
}

TEST(ParseError, Functions) {
  const std::pair<std::string, std::string> cases[] = {
      {".func f() { ret; }\n.func f() { ret; }", "5:7 Duplicate definition of function 'f'"},
      {".global .u32 f;\n.func f();", "5:7 Duplicate definition of variable 'f'"},
      {".entry f();\n.func f();", "5:7 Inconsistent redefinition of 'f'"},
      {".func f(.param .b32 a);\n.func f(.param .b64 a);", "5:7 Inconsistent prototypes of 'f'"},
      {".func f(.param .b32 a);\n.func f();", "5:7 Inconsistent prototypes of 'f'"},
      {".extern .func f() { ret; }",
       "4:15 Function definition conflicts with '.extern' declaration for function 'f'"},
      {".common .func f();", "4:9 Functions cannot be .common"},
      {".func f(.param .b32 a, .param .b32 a) { ret; }",
       "4:36 Duplicate definition of variable 'a'"},
      {".func f(.param .b32 _) { ret; }", "4:21 Illegal parameter name '_'"},
      {".func f(.param .b32) { ret; }", "4:20 Illegal parameter name '_'"},
      {".func f(.b32 a);", "4:9 Parsing error near '.b32': syntax error, '.param' expected"},
      {".func f(.param .b32 a<4>);", "4:21 'a' cannot be a parameter"},
      {".global .rubbish f;", "4:9 Type '.rubbish' is not supported"},
      {".func f(.reg .b32 a[4]);", "4:19 'a' cannot be a parameter"},
      {".entry k(.reg .b32 a) { ret; }",
       "4:8 Parameters of a kernel must be in .param state space"},
      {".entry k() .maxntid 0 { ret; }", "4:21 Positive non-zero value expected for maxntid"},
      {".entry k() .maxntid 1, 2, 3, 4 { ret; }",
       "4:28 Parsing error near ',': syntax error, '{' expected"},
      {".entry k() .maxntid 4294967296 { ret; }", "4:21 Constant overflow"},
      {".entry k() .entry { ret; }",
       "4:12 Parsing error near '.entry': syntax error, '{' expected"},
      {".entry k() rubbish",
       "4:12 Parsing error near 'rubbish': syntax error, '{' or ';' expected"},
      {".entry k() { ret;", "4:18 Unexpected end of the text, a statement expected"},
      {".entry k() { { ret; }", "4:22 Unexpected end of the text, a statement expected"},
      {".entry k() { ret; } }", "4:21 Parsing error near '}': syntax error, a directive expected"},
      {".entry k() { /* ret; }", "4:14 Parsing error near '/*': the comment does not end"},
      {".entry (.param .b32 r) k() { ret; }",
       "4:8 Parsing error near '(': syntax error, a name expected"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_of(text), message) << text;
  }
}

TEST(ParseError, Statements) {
  const std::string functions = ".func (.param .b32 r) f(.param .b32 a) { ret; } .entry e() {} "
                                ".global .u32 g;";
  const std::pair<std::string, std::string> cases[] = {
      {";", "9:1 Parsing error near ';': syntax error, a statement expected"},
      {"]", "9:1 Parsing error near ']': syntax error, a statement expected"},
      {"mov.u32 %r1, 5\nret;", "10:1 Parsing error near 'ret': syntax error, ';' expected"},
      {"mov.u32 %r1 %r2;", "9:13 Parsing error near '%r2': syntax error, ';' expected"},
      {"mov.u32 %r1,,;", "9:13 Parsing error near ',': syntax error, an operand expected"},
      {"mov.u32 %r9, 1;", "9:9 Unknown symbol '%r9'"},
      {"mov.u32 %R1, 1;", "9:9 Unknown symbol '%R1'"},
      {"mov.u32 %r01, 1;", "9:9 Unknown symbol '%r01'"},
      {"mov.u32 %r1, foo;", "9:14 Unknown symbol 'foo'"},
      {"mov.u32 %r1, %envreg32;", "9:14 Unknown symbol '%envreg32'"},
      {"mov.u32 %r1, %tid.q;", "9:18 Unknown vector selector: 'q'"},
      {"mov.u32 %r1, %laneid.x;", "9:21 Unknown vector selector: 'x'"},
      {"mov.u32 %r1, %r2.x;", "9:17 Register '%r2' has no element '.x'"},
      {"mov.u32 %r1, %v.z;", "9:16 Register '%v' has no element '.z'"},
      {"mov.u32 %r1, \"a\";", "9:14 Parsing error near '\"a\"': syntax error, an operand expected"},
      {"mov.u32 %r1, %r2+1;", "9:17 Parsing error near '+': syntax error, ';' expected"},
      {"mov.u32 %r1, -g;", "9:15 Register expected after '-'"},
      {"mov.u32 %r1, g+1.5;", "9:15 An offset must be an integer"},
      {"mov.u64 %rd1, g[1];", "9:16 'g' is not an array"},
      {"mov.u64 %rd1, f[1];", "9:16 'f' is a function and has no elements"},
      {"mov.u64 %rd1, depot[1.5];", "9:21 A subscript must be an integer or a register"},
      {"mov.u64 %rd1, depot[1;", "9:22 Parsing error near ';': syntax error, ']' expected"},
      {"mov.u64 %rd1, depot[1]+4;", "9:23 An offset cannot follow a subscript"},
      {"ld.local.u8 %r1, [depot[1]-1];", "9:27 An offset cannot follow a subscript"},
      {"L: mov.u64 %rd1, L;", "9:18 Unexpected label 'L'"},
      {"ld.u32 %r1, [%rd1+%rd2;",
       "9:19 Parsing error near '%rd2': syntax error, a constant expected"},
      {"ld.u32 %r1, [%rd1;", "9:18 Parsing error near ';': syntax error, ']' expected"},
      {"ld.u32 %r1, [1.5];", "9:14 Register, symbol or integer expected in an address"},
      {"ld.u32 %r1, [_];", "9:14 Register, symbol or integer expected in an address"},
      {"ld.u32 %r1, [!%rd1];", "9:14 An address cannot begin with an operator"},
      {"mov.b64 {%r1, {%r2}, %rd1;",
       "9:15 Parsing error near '{': syntax error, an operand expected"},
      {"mov.b64 {%r1, %r2, %rd1;", "9:24 Parsing error near ';': syntax error, '}' expected"},
      {"setp.eq.u32 %p1|5, %r1, 0;", "9:17 Registers expected on both sides of '|'"},
      {"@%r1 ret;", "9:2 Predicate expression expected"},
      {"@in ret;", "9:2 Predicate expression expected"},
      {"@%p9 ret;", "9:2 Unknown symbol '%p9'"},
      {"@%p1 {", "9:6 Parsing error near '{': syntax error, an instruction expected"},
      {"@%p1 L: ret;", "9:7 Parsing error near ':': syntax error, ';' expected"},
      {"bra L;", "9:5 Unknown symbol 'L'"},
      {"{ L: } bra L;", "9:12 Unknown symbol 'L'"},
      {"bra %r1;", "9:5 '%r1' is not a label that can stand here"},
      {"bra 5;", "9:5 Parsing error near '5': syntax error, a label expected"},
      {"L: ret;\nL: ret;", "10:1 Duplicate definition of label 'L'"},
      {".reg .b32 L;\nL: ret;", "10:1 Duplicate definition of label 'L'"},
      {"L: .branchtargets A;\nA: ret;\nbra L;", "11:5 'L' is not a label that can stand here"},
      {"L: .branchtargets A;\nret;", "9:19 Unknown symbol 'A'"},
      {"L: .calltargets f;\nbrx.idx %r1, L;", "10:14 'L' is not a label that can stand here"},
      {"L: .calltargets g;", "9:17 'g' is not a function"},
      {"L: .calltargets %rd1;", "9:17 Function expected in a list of call targets"},
      {"call h;", "9:6 Unknown symbol 'h'"},
      {"call g;", "9:6 'g' is not a function"},
      {"call e;", "9:1 'e' is a kernel and cannot be called"},
      {"call f;", "9:1 Call of 'f' has wrong number of results"},
      {"call (%r1), f;", "9:1 Call of 'f' has wrong number of parameters"},
      {"call (%r1), f, (%r1, %r2);", "9:1 Call of 'f' has wrong number of parameters"},
      {"call (%r1), f, (g);", "9:17 Register, parameter or constant expected in a call"},
      {"call (%r1), %rd1, (%r2);", "9:13 An indirect call requires a call prototype"},
      {"call (%r1), %rd1, (%r2), P;", "9:26 Unknown symbol 'P'"},
      {"call (%r1), %rd1, (%r2), g;", "9:26 'g' is no call prototype and no list of functions"},
      {"call (%r1) f, (%r2);", "9:12 Parsing error near 'f': syntax error, ',' expected"},
      {".reg .b32 %r2;", "9:11 Duplicate definition of variable '%r2'"},
      {".reg .b32 x, x;", "9:14 Duplicate definition of variable 'x'"},
      {".reg .b32 q3, q<4>;", "9:15 Duplicate definition of variables 'q<4>'"},
      {".reg .b32 in;", "9:11 Duplicate definition of variable 'in'"},
      {".reg .b32 x[3];", "9:11 Variable 'x' cannot be allocated into a register"},
      {".reg .b32 x", "10:1 Parsing error near '}': syntax error, ';' expected"},
      {".reg .b32 %x<4000000000>;", "9:11 Too much is declared in one module"},
      {".reg .b32 %x<99999999999>;", "9:14 Constant overflow"},
      {".param .b64 P<2000>;", "9:13 More than 1024 variables 'P'"},
      {".local .b8 x[4294967296];", "9:12 Variable 'x' has more than 2147483647 bytes"},
      {".local .u32 x = 1;", "9:15 No initial value is allowed for 'x' in this state space"},
      {".rubbish 1, 2", "10:1 Parsing error near '}': syntax error, ';' expected"},
      {".reg .rubbish .b32 x;", "9:15 Parsing error near '.b32': syntax error, a name expected"},
      {".visible .global .u32 x;",
       "9:1 Parsing error near '.visible': syntax error, a statement expected"},
      {"foo.u32 %r1\nret;", "10:1 Parsing error near 'ret': syntax error, ';' expected"},
      {"foo.u32 {%r1, [%r2};", "9:19 Parsing error near '}': syntax error, ']' expected"},
      {"foo.u32 %r1)", "9:12 Parsing error near ')': syntax error, ';' expected"},
      {"foo.u32 %r1", "10:1 Parsing error near '}': syntax error, ';' expected"},
      {".loc 1 2 ;", "9:10 Parsing error near ';': syntax error, a number expected"},
      {".loc 1 2 3, rubbish 5", "9:21 Parsing error near '5': syntax error, 'inlined_at' expected"},
      {"#", "9:1 Parsing error near '#': syntax error, a statement expected"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_of(kernel_text(text, functions + "")), message) << text;
  }
}

TEST(ParseError, DepthOfBlocksIsBounded) {
  const std::string deep(100'000, '{');
  EXPECT_EQ(error_of(".entry k() " + deep), "4:268 Blocks are nested too deeply");
}

TEST(ParseError, MuchOfLittleTextIsRefused) {
  std::string text;
  for (int function = 0; function < 1000; ++function) {
    text += ".func f" + std::to_string(function) + "() { .reg .b32 %r<100000>; }\n";
  }
  EXPECT_TRUE(error_of(text).ends_with("Too much is declared in one module"));
}

} // namespace
} // namespace gantry::simt::ptx
