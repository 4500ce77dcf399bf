#include "simt/ptx/test_support.h"

namespace gantry::simt::ptx {
namespace {

TEST(Parser, HeadOfAModule) {
  const auto module = parse(".version 7.10\n.target sm_90a, debug\n.address_size 64", "name");
  ASSERT_TRUE(module);
  EXPECT_EQ((*module)->name, "name");
  EXPECT_EQ((*module)->version_major, 7U);
  EXPECT_EQ((*module)->version_minor, 10U);
  EXPECT_EQ((*module)->target, 90U);
  EXPECT_EQ((*module)->target_name, "sm_90a");
  EXPECT_TRUE((*module)->debug);
}

TEST(Parser, NothingIsReadAfterNul) {
  const std::string text = std::string(kHeader) + ".global .u32 x;" + '\0' + "rubbish";
  const auto module = parse(text, "");
  ASSERT_TRUE(module);
  EXPECT_EQ((*module)->variables.size(), 1U);
}

TEST(Parser, TextOfErrors) {
  auto module = parse(".version 7.8\n.target sm_80\n  rubbish", "");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().kind, ParseError::Kind::kSyntax);
  EXPECT_EQ(module.error().text("a.ptx"), "ptxas a.ptx, line 3:3; error   : Parsing error near "
                                          "'rubbish': syntax error, a directive expected");
  module = parse(".version 9.2\n!", "");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().kind, ParseError::Kind::kVersion);
  EXPECT_EQ(module.error().text("a.ptx"), "ptxas a.ptx, line 1:10; fatal   : Unsupported .version "
                                          "9.2; current version is '9.1'");
}

TEST(Parser, Comments) {
  const auto module = module_of("// .global .u32 a;\n/* .global .u32 b;\n */ .global /**/ .u32 c;"
                                "/* * / // */\n.global .u32 d; // no newline");
  ASSERT_EQ(module->variables.size(), 2U);
  EXPECT_EQ(module->variables[0].location.line, 6U);
  EXPECT_EQ(module->variables[0].location.column, 23U);
  EXPECT_EQ(module->variables[1].location.line, 7U);
}

TEST(Parser, Registers) {
  const auto module = module_with(".reg.b16  r,h;\n.reg .f64 %d<3>, single;\n.reg .v4 .f32 %q;\n"
                                  "mov.f64 %d2, single;\n.reg .b32 none<0>;");
  const std::vector<Register>& registers = kernel_of(*module).registers;
  const std::size_t before = 4 + 4 + 1 + 1 + 2;
  ASSERT_EQ(registers.size(), before + 2 + 4 + 1);
  EXPECT_EQ(registers[before].name, "r");
  EXPECT_EQ(registers[before].type, Type::kB16);
  EXPECT_EQ(registers[before + 4].name, "%d2");
  EXPECT_EQ(registers[before + 4].type, Type::kF64);
  EXPECT_EQ(registers[before + 5].name, "single");
  EXPECT_EQ(registers[before + 6].vector, 4);
}

TEST(Parser, ScopesDeclareNamesAgain) {
  const auto module = module_with("{ .reg .u32 %x; mov.u32 %x, 1; { .reg .u64 %x; mov.u64 %x, 2; }"
                                  "\n mov.u32 %x, 3; }\n{ .reg .f32 %x; mov.f32 %x, 0f00000000; }");
  const Function& kernel = kernel_of(*module);
  const auto type = [&](std::size_t instruction) {
    return kernel.registers[kernel.instructions[instruction].operands[0].index].type;
  };
  EXPECT_EQ(type(0), Type::kU32);
  EXPECT_EQ(type(1), Type::kU64);
  EXPECT_EQ(type(2), Type::kU32);
  EXPECT_EQ(type(3), Type::kF32);
}

TEST(Parser, Parameters) {
  const auto module =
      module_of(".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr b,\n"
                ".param .align 8 .b8 c[24], .param .u8 d) { ret; }\n"
                ".func (.param .align 16 .b8 r[48]) f(.param .b32 x, .param .b8 rest[]) { ret; }\n"
                ".func (.reg .u32 r) g(.reg .u64 p) { mov.u32 r, 1; ret; }\n"
                ".func h(.param .u32 _, .param .u64);\n");
  const Function& kernel = module->functions[0];
  EXPECT_TRUE(kernel.is_entry);
  ASSERT_EQ(kernel.parameters.size(), 4U);
  EXPECT_EQ(kernel.variables[kernel.parameters[0]].alignment, 8U);
  EXPECT_EQ(kernel.variables[kernel.parameters[2]].size(), 24U);
  EXPECT_EQ(kernel.variables[kernel.parameters[2]].alignment, 8U);
  EXPECT_EQ(kernel.variables[kernel.parameters[3]].space, Space::kParam);
  const Function& f = module->functions[1];
  EXPECT_EQ(f.variables[f.results[0]].size(), 48U);
  EXPECT_EQ(f.variables[f.parameters[1]].count, 0U);
  const Function& g = module->functions[2];
  EXPECT_EQ(g.variables[g.results[0]].space, Space::kRegister);
  EXPECT_EQ(g.registers[*g.variables[g.results[0]].register_index].name, "r");
  EXPECT_EQ(g.registers[*g.variables[g.parameters[0]].register_index].type, Type::kU64);
  EXPECT_EQ(g.instructions[0].operands[0].kind, Operand::Kind::kRegister);
  EXPECT_FALSE(module->functions[3].is_defined);
}

TEST(Parser, VariablesOfFunctions) {
  const auto module = module_with(".shared .align 16 .b8 s[32];\n.global .u32 g = 5;\n"
                                  "{ .param .u64 %P<2>; st.param.u64 [%P1], 5; }");
  const Function& kernel = kernel_of(*module);
  ASSERT_EQ(kernel.variables.size(), 6U);
  EXPECT_EQ(kernel.variables[1].name, "depot");
  EXPECT_EQ(kernel.variables[1].space, Space::kLocal);
  EXPECT_EQ(kernel.variables[2].space, Space::kShared);
  EXPECT_EQ(kernel.variables[3].initial.at(0).bits, 5U);
  EXPECT_EQ(kernel.variables[5].name, "%P1");
  EXPECT_EQ(kernel.variables[5].space, Space::kParam);
  EXPECT_TRUE(module->variables.empty());
}

TEST(Parser, BoundsAndOtherAttributes) {
  const auto module =
      module_of(".entry a() .maxntid 128 .minnctapersm 2 .maxnreg 64 .maxclusterrank 8 { ret; }\n"
                ".entry b() .reqntid 8, 4, 2 .reqnctapercluster 2, 1, 1 .explicitcluster\n"
                ".pragma \"x\"; .blocksareclusters { ret; }\n"
                ".func c() .noreturn .abi_preserve 4 .abi_preserve_control 8 { exit; }\n"
                ".func .attribute(.unified(1,2)) d();\n");
  const std::vector<Function>& functions = module->functions;
  EXPECT_EQ(functions[0].max_threads.x, 128U);
  EXPECT_EQ(functions[0].max_threads.y, 1U);
  EXPECT_EQ(functions[0].min_blocks, 2U);
  EXPECT_EQ(functions[0].max_registers, 64U);
  EXPECT_EQ(functions[1].required_threads.y, 4U);
  EXPECT_EQ(functions[1].required_threads.z, 2U);
  EXPECT_EQ(functions[1].max_threads.x, 0U);
  EXPECT_EQ(functions[1].cluster.x, 2U);
  EXPECT_TRUE(functions[2].noreturn);
}

TEST(Parser, FunctionsDeclaredSeveralTimes) {
  const auto module = module_of(
      ".extern .func (.param .b32 r) f(.param .b64 a);\n.func (.param .b32 q) f(.param .b64 b);\n"
      ".visible .func (.param .b32 o) f(.param .b64 other) { ld.param.b64 _, [other]; ret; }\n"
      ".extern .func (.param .b32 r) f(.param .b64 a);\n"
      ".entry k();\n.entry k() { ret; }\n.visible .func g();\n.func g() { ret; }\n");
  ASSERT_EQ(module->symbols.size(), 3U);
  ASSERT_EQ(module->functions.size(), 3U);
  EXPECT_TRUE(module->functions[0].is_defined);
  EXPECT_EQ(module->functions[0].linkage, Linkage::kVisible);
  EXPECT_EQ(module->functions[0].instructions.size(), 2U);
  EXPECT_TRUE(module->functions[1].is_defined);
  EXPECT_EQ(module->functions[2].linkage, Linkage::kVisible);
}

TEST(Parser, Aliases) {
  const auto module = module_of(".visible .func fa(.param .b32 x);\n"
                                ".func f(.param .b32 y) { ret; }\n.alias fa, f;\n");
  const Symbol& alias = module->symbols.at(*module->find("fa"));
  EXPECT_EQ(alias.name, "fa");
  EXPECT_EQ(module->functions.at(alias.index).name, "f");
}

TEST(Parser, SourcePositions) {
  const auto module = module_with("ret;\n.loc 1 50 3\nret;\nret;\n"
                                  ".loc 2 7 0, function_name L+4, inlined_at 1 20 3\nret;",
                                  ".file 1 \"a.c\"\n.file 2 \"b.c\", 12345, 678\n.loc 1 2 3\n");
  const Function& kernel = kernel_of(*module);
  EXPECT_EQ(kernel.instructions[0].source, 0U);
  EXPECT_EQ(kernel.instructions[1].source, 1U);
  EXPECT_EQ(kernel.instructions[2].source, 1U);
  EXPECT_EQ(kernel.instructions[3].source, 2U);
  EXPECT_EQ(kernel.sources[0].line, 50U);
  EXPECT_EQ(kernel.sources[0].column, 3U);
  EXPECT_EQ(kernel.sources[1].file, 2U);
  EXPECT_EQ(module->file_named(2), "b.c");
  EXPECT_EQ(module->file_named(3), "");
}

TEST(Parser, SectionsAndPragmasAreSkipped) {
  const auto module = module_of(".section .debug_info { L: .b8 1, -2\n.b64 L+4\n"
                                ".b32 M-L { } .b8 \"}\" }\n.section named {}\n"
                                ".pragma \"a\", \"b\";\n.global .u32 x;");
  EXPECT_EQ(module->variables.size(), 1U);
}

} // namespace
} // namespace gantry::simt::ptx
