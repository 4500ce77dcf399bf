#include "simt/ptx/test_support.h"

namespace gantry::simt::ptx {
namespace {

std::string link_error(const std::vector<std::string>& texts) {
  const auto program = try_link(texts);
  return program ? "" : program.error();
}

Target target_of(const Program& program, std::uint32_t module, std::string_view name) {
  return program.symbols[module][program.modules[module]->find(name).value()];
}

TEST(Link, ResolvesFunctionsAndVariablesAcrossModules) {
  const auto program = program_of({
      ".extern .func f(.param .b32 x);\n.extern .global .u32 v[];\n"
      ".entry k() { .reg .b64 a; mov.u64 a, v; call f, (5); ret; }",
      ".visible .func f(.param .b32 other) { ret; }\n.visible .global .u32 v[4];",
  });
  const Target function = target_of(*program, 0, "f");
  EXPECT_EQ(function.kind, Target::Kind::kFunction);
  EXPECT_EQ(function.index, target_of(*program, 1, "f").index);
  EXPECT_EQ(program->functions[function.index].module, 1U);
  EXPECT_EQ(program->definition(function.index).name, "f");
  const Target variable = target_of(*program, 0, "v");
  EXPECT_EQ(variable.index, target_of(*program, 1, "v").index);
  EXPECT_EQ(program->variables[variable.index].variable->size(), 16U);
  EXPECT_EQ(program->variables.size(), 1U);
}

TEST(Link, PrivateNamesStayPrivate) {
  const auto program = program_of({
      ".const .u32 c = 1;\n.func f() { ret; }\n",
      ".const .u32 c = 2;\n.func f() { ret; }\n",
      ".visible .const .u32 c = 3;\n",
  });
  EXPECT_NE(target_of(*program, 0, "c").index, target_of(*program, 1, "c").index);
  EXPECT_NE(target_of(*program, 0, "f").index, target_of(*program, 1, "f").index);
  EXPECT_EQ(program->variables.size(), 3U);
  EXPECT_EQ(program->find_variable("c"), target_of(*program, 2, "c").index);
}

TEST(Link, StrengthOfDefinitions) {
  const auto program = program_of({
      ".weak .func f() { ret; }\n.common .global .u32 c[2];\n.weak .global .u32 w = 1;",
      ".weak .func f() { ret; }\n.common .global .u32 c[4];\n.weak .global .u32 w = 2;",
      ".visible .func f() { ret; }\n.common .global .u32 c[3];\n",
  });
  EXPECT_EQ(program->functions[target_of(*program, 0, "f").index].module, 2U);
  EXPECT_EQ(program->variables[target_of(*program, 0, "c").index].module, 1U);
  EXPECT_EQ(program->variables[target_of(*program, 1, "w").index].module, 0U);
  EXPECT_EQ(program->functions.size(), 1U);
  EXPECT_EQ(program->variables.size(), 2U);
}

TEST(Link, AliasesHaveTheLinkageOfTheirDeclaration) {
  const auto program = program_of({
      ".visible .func a();\n.weak .func w();\n.func f() { ret; }\n.alias a, f;\n.alias w, f;",
      ".extern .func a();\n.extern .func w();\n.func g() { call a; call w; ret; }",
      ".visible .func w() { ret; }",
  });
  EXPECT_EQ(target_of(*program, 1, "a").index, target_of(*program, 0, "f").index);
  EXPECT_EQ(target_of(*program, 0, "a").index, target_of(*program, 0, "f").index);
  EXPECT_EQ(target_of(*program, 1, "w").index, target_of(*program, 2, "w").index);
}

const char* const kSystemCalls =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .u64 r) malloc(.param .u64 n);\n"
    ".extern .func free(.param .b64 p);\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
    ".param .b64 e);\n";

TEST(Link, SystemCalls) {
  const auto program = program_of({
      std::string(kSystemCalls) + ".func f() { call free, (0); ret; }",
      std::string(kSystemCalls),
  });
  ASSERT_EQ(program->functions.size(), 5U);
  const Target free = target_of(*program, 1, "free");
  EXPECT_EQ(program->functions[free.index].system_call, SystemCall::kFree);
  EXPECT_EQ(free.index, target_of(*program, 0, "free").index);
  EXPECT_EQ(program->definition(free.index).name, "free");
}

TEST(Link, ADefinitionGoesBeforeASystemCall) {
  const auto program = program_of({
      ".extern .func (.param .b64 r) malloc(.param .b64 n, .param .b64 m);",
      ".visible .func (.param .b64 r) malloc(.param .b64 n, .param .b64 m) { ret; }",
  });
  EXPECT_FALSE(program->functions[target_of(*program, 0, "malloc").index].system_call);
}

TEST(Link, DynamicSharedMemory) {
  const auto program = program_of({
      ".extern .shared .b8 dynamic[];\n.extern .shared .u64 sized[32];\n"
      ".func f() { .reg .b64 a; mov.u64 a, dynamic; mov.u64 a, sized; ret; }",
      ".extern .shared .b8 sized[];\n.extern .shared .b8 dynamic[];\n",
      ".visible .shared .u64 sized[32];\n",
  });
  EXPECT_TRUE(program->variables[target_of(*program, 0, "dynamic").index].dynamic_shared);
  EXPECT_TRUE(program->variables[target_of(*program, 1, "dynamic").index].dynamic_shared);
  EXPECT_EQ(target_of(*program, 0, "sized").index, target_of(*program, 2, "sized").index);
  EXPECT_EQ(target_of(*program, 1, "sized").index, target_of(*program, 2, "sized").index);
  EXPECT_FALSE(program->variables[target_of(*program, 1, "sized").index].dynamic_shared);
}

TEST(Link, VariablesOfFunctionsHaveStorage) {
  const auto program = program_of({
      ".func f(.param .b32 p) { .local .u32 l; .shared .u32 s; .global .u32 g = 1; ret; }",
      ".weak .func w() { .shared .u32 s; ret; }",
      ".visible .func w() { ret; }",
  });
  const std::vector<std::uint32_t>& indices = program->function_variables[0][0];
  ASSERT_EQ(indices.size(), 4U);
  EXPECT_EQ(indices[0], Program::kNoStorage);
  EXPECT_EQ(indices[1], Program::kNoStorage);
  EXPECT_EQ(program->variables[indices[2]].space, Space::kShared);
  EXPECT_EQ(program->variables[indices[3]].variable->initial.size(), 1U);
  EXPECT_EQ(program->function_variables[1][0][0], Program::kNoStorage);
  EXPECT_FALSE(program->find_variable("g"));
}

TEST(Link, NamesForTheHost) {
  const auto program = program_of({
      ".shared .u32 both;\n.global .u32 own = 1;\n.entry k() { ret; }\n.func f() { ret; }",
      ".global .u32 both;\n.global .u32 own = 2;\n.visible .entry j() { ret; }",
  });
  EXPECT_EQ(program->find_entry("k"), target_of(*program, 0, "k").index);
  EXPECT_EQ(program->find_entry("j"), target_of(*program, 1, "j").index);
  EXPECT_FALSE(program->find_entry("f"));
  EXPECT_FALSE(program->find_entry("none"));
  EXPECT_EQ(program->find_variable("both"), target_of(*program, 1, "both").index);
  EXPECT_EQ(program->find_variable("own"), target_of(*program, 0, "own").index);
}

TEST(Link, DeclarationsThatNobodyUsesNeedNoDefinition) {
  const auto program = program_of({
      ".extern .func f();\n.extern .global .u32 v;\n.visible .func g();\n.func h();",
  });
  EXPECT_EQ(target_of(*program, 0, "f").index, Program::kNoStorage);
  EXPECT_TRUE(program->functions.empty());
}

TEST(Link, HashesOfTexts) {
  const auto hash = [](const std::vector<std::string>& texts) { return program_of(texts)->hash; };
  const std::string a = ".func f() { ret; }";
  const std::string b = ".func g() { ret; }";
  EXPECT_EQ(hash({a, b}), hash({a, b}));
  EXPECT_NE(hash({a, b}), hash({b, a}));
  EXPECT_NE(hash({a}), hash({a, a}));
  EXPECT_NE(hash({}), hash({a}));
}

TEST(Link, Errors) {
  const std::string uses = ".extern .func f();\n.func g() { call f; ret; }";
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{uses}, "nvlink error   : Unresolved extern symbol 'f' in 'a'"},
      {{uses, "", uses}, "nvlink error   : Unresolved extern symbol 'f' in 'a', 'c'"},
      {{".func f();\n.func g() { call f; ret; }", ".visible .func f() { ret; }"},
       "nvlink error   : Unresolved extern symbol 'f' in 'a'"},
      {{".extern .func f();\n.global .u64 t = f;"},
       "nvlink error   : Unresolved extern symbol 'f' in 'a'"},
      {{".extern .func f();\n.entry k() { .reg .b64 p; L: .calltargets f; call p, L; }"},
       "nvlink error   : Unresolved extern symbol 'f' in 'a'"},
      {{".extern .global .u32 v;\n.extern .shared .u32 s[4];\n"
        ".entry k() { .reg .b64 a; mov.u64 a, v; ld.shared.u64 a, [s+8]; }"},
       "nvlink error   : Unresolved extern symbol 'v' in 'a'\n"
       "nvlink error   : Unresolved extern symbol 's' in 'a'"},
      {{".visible .func f() { ret; }", ".visible .func f() { ret; }"},
       "nvlink error   : Multiple definition of 'f' in 'b', first defined in 'a'"},
      {{".visible .global .u32 f;", ".extern .func f();"},
       "nvlink error   : 'f' is a function in 'b' and a variable in 'a'"},
      {{".visible .func f() { ret; }", ".extern .func f(.param .b32 x);"},
       "nvlink error   : Inconsistent prototypes of 'f' in 'b' and 'a'"},
      {{".visible .global .u32 v;", ".extern .const .u32 v;"},
       "nvlink error   : 'v' in 'b' is in another state space than in 'a'"},
      {{".visible .global .u32 v[2];", ".extern .global .u32 v[4];"},
       "nvlink error   : 'v' has 16 bytes in 'b', but only 8 where it is defined, in 'a'"},
      {{".common .global .u32 v[4];", ".visible .global .u32 v[2];"},
       "nvlink error   : 'v' has 16 bytes in 'a', but only 8 where it is defined, in 'b'"},
      {{".extern .func malloc(.param .b32 x);"},
       "nvlink error   : Inconsistent prototype of 'malloc' in 'a'"},
  };
  for (const auto& [texts, message] : cases) {
    EXPECT_EQ(link_error(texts), message);
  }
}

} // namespace
} // namespace gantry::simt::ptx
