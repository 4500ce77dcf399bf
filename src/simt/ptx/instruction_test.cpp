#include "simt/ptx/test_support.h"

namespace gantry::simt::ptx {
namespace {

using Kind = Operand::Kind;

Instruction instruction_of(std::string_view statements, std::string_view directives = "") {
  return kernel_of(*module_with(statements, directives)).instructions.back();
}

TEST(Instruction, NameModifiersAndTypes) {
  const auto module = module_with("  atom.acq_rel.sys.global.cas.b32 %r0, [%rd1], %r1, %r2;\n"
                                  "cvt.rn.f16x2.f32 %r0, %f, %f;\n"
                                  "ld.global.L1::evict_last.L2::128B.shared::cta.b32 %r1, [%rd1];\n"
                                  "add .s32 %r1, %r1, %r1;");
  const std::vector<Instruction>& all = kernel_of(*module).instructions;
  EXPECT_EQ(all[0].opcode, Opcode::k_atom);
  EXPECT_EQ(all[0].name, "atom.acq_rel.sys.global.cas.b32");
  EXPECT_EQ(all[0].location.line, 9U);
  EXPECT_EQ(all[0].location.column, 3U);
  EXPECT_TRUE(all[0].has(Modifier::kAcqRel) && all[0].has(Modifier::kSys) &&
              all[0].has(Modifier::kGlobal) && all[0].has(Modifier::kCas));
  EXPECT_FALSE(all[0].has(Modifier::kRelaxed));
  EXPECT_FALSE(all[0].unknown_modifier);
  EXPECT_EQ(all[0].type(), Type::kB32);
  EXPECT_EQ(all[0].type_count, 1);
  EXPECT_EQ(all[1].type(0), Type::kF16x2);
  EXPECT_EQ(all[1].type(1), Type::kF32);
  EXPECT_EQ(all[1].type_count, 2);
  EXPECT_TRUE(all[2].has(Modifier::kL1EvictLast) && all[2].has(Modifier::kL2Prefetch128) &&
              all[2].has(Modifier::kSharedCta));
  EXPECT_EQ(all[3].opcode, Opcode::k_add);
}

TEST(Instruction, ElementsOfArrays) {
  constexpr std::string_view kArrays =
      ".global .u32 words[4]; .global .v2 .f64 pairs[3]; .global .u32 table[2][2];\n";
  // An element is its memory where an instruction accesses memory.
  const Instruction load = instruction_of("ld.global.u32 %r1, words[3];", kArrays);
  ASSERT_EQ(load.operands[1].kind, Kind::kAddress);
  EXPECT_EQ(load.operands[1].value, 12);
  EXPECT_EQ(load.operands[1].members.at(0).kind, Kind::kSymbol);
  EXPECT_EQ(load.operands[1].members.at(0).value, 0);
  const Instruction in_brackets = instruction_of("ld.global.u32 %r1, [words[4-2]];", kArrays);
  ASSERT_EQ(in_brackets.operands[1].kind, Kind::kAddress);
  EXPECT_EQ(in_brackets.operands[1].value, 8);
  // Elsewhere it is its address.
  const Instruction move = instruction_of("mov.u64 %rd1, pairs[2];", kArrays);
  EXPECT_EQ(move.operands[1].kind, Kind::kSymbol);
  EXPECT_EQ(move.operands[1].value, 32);
  EXPECT_EQ(instruction_of("mov.u64 %rd1, depot[1];").operands[1].kind, Kind::kVariable);
  // What the executor does not have.
  for (const char* const text :
       {"ld.global.u32 %r1, words[%r2];", "ld.global.u32 %r1, [words[%rd2-1]];",
        "ld.global.u32 %r1, table[1][1];"}) {
    EXPECT_EQ(instruction_of(text, kArrays).opcode, Opcode::kUnknown) << text;
  }
}

TEST(Instruction, OnesThatAreNotKnown) {
  const std::pair<std::string, std::string> cases[] = {
      {"wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned"},
      {"tex.2d.v4.f32.f32 {%a, %b}, [tex, {%c, %d}];", "tex.2d.v4.f32.f32"},
      {"cp.async.bulk.tensor.1d.shared::cluster [%rd1], [map, {%r1}], [bar];",
       "cp.async.bulk.tensor.1d.shared::cluster"},
      {"mma.a.b {%x}, {%y}, {%z}, {%w};", "mma.a.b"},
      {"add.foo.u32 %r1, %r2, %r3;", "add.foo.u32"},
      {"add.u8.u8.u8.u8.u8 %r1, %r2, %r3;", "add.u8.u8.u8.u8.u8"},
      {"mov.u32 %r1, %reserved_smem_offset_1;", "mov.u32 %r1, %reserved_smem_offset_1"},
      {"mov.u32 %r1, %tid ;", "mov.u32 %r1, %tid"},
      {"vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;", "vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1"},
  };
  for (const auto& [text, name] : cases) {
    const auto module = module_with(text);
    const Instruction& instruction = kernel_of(*module).instructions.back();
    EXPECT_TRUE(instruction.opcode == Opcode::kUnknown || instruction.unknown_modifier) << text;
    EXPECT_EQ(instruction.name, name);
  }
}

TEST(Instruction, Guards) {
  EXPECT_FALSE(instruction_of("ret;").guard);
  EXPECT_FALSE(instruction_of("@%p1 ret;").guard->negated);
  EXPECT_EQ(instruction_of("@%p1 ret;").guard->register_index,
            instruction_of("@ ! %p1 ret;").guard->register_index);
  EXPECT_TRUE(instruction_of("@!%p1 ret;").guard->negated);
}

TEST(Instruction, Addresses) {
  const std::string symbol = ".global .u32 g[4];\n";
  struct Case {
    std::string text;
    Kind base;
    std::int64_t offset;
  };
  const Case cases[] = {
      {"[%rd1]", Kind::kRegister, 0},      {"[%rd1+8]", Kind::kRegister, 8},
      {"[%rd1+-8]", Kind::kRegister, -8},  {"[%rd1 + -8]", Kind::kRegister, -8},
      {"[%rd1-8]", Kind::kRegister, -8},   {"[%rd1+4+4]", Kind::kRegister, 8},
      {"[g]", Kind::kSymbol, 0},           {"[g+12]", Kind::kSymbol, 12},
      {"[depot + 4]", Kind::kVariable, 4}, {"[in]", Kind::kVariable, 0},
      {"[16]", Kind::kInteger, 16},        {"[0x10+4]", Kind::kInteger, 20},
  };
  for (const Case& test : cases) {
    const Instruction load = instruction_of("ld.u32 %r1, " + test.text + ";", symbol);
    const Operand& address = load.operands.at(1);
    EXPECT_EQ(address.kind, Kind::kAddress) << test.text;
    EXPECT_EQ(address.value, test.offset) << test.text;
    EXPECT_EQ(address.members.at(0).kind, test.base) << test.text;
    EXPECT_EQ(address.members.at(0).value, 0) << test.text;
  }
}

TEST(Instruction, SymbolsAndVariablesAsValues) {
  const std::string symbols = ".global .u32 g[4];\n.func f() { ret; }\n";
  Operand operand = instruction_of("mov.u64 %rd1, g+4;", symbols).operands.at(1);
  EXPECT_EQ(operand.kind, Kind::kSymbol);
  EXPECT_EQ(operand.index, 0U);
  EXPECT_EQ(operand.value, 4);
  operand = instruction_of("mov.u64 %rd1, f;", symbols).operands.at(1);
  EXPECT_EQ(operand.kind, Kind::kSymbol);
  EXPECT_EQ(operand.index, 1U);
  operand = instruction_of("cvta.local.u64 %rd1, depot + 8;", symbols).operands.at(1);
  EXPECT_EQ(operand.kind, Kind::kVariable);
  EXPECT_EQ(operand.value, 8);
}

TEST(Instruction, VectorsPairsAndSinks) {
  Operand operand = instruction_of("mov.b64 {%r1, _}, %rd1;").operands.at(0);
  EXPECT_EQ(operand.kind, Kind::kVector);
  ASSERT_EQ(operand.members.size(), 2U);
  EXPECT_EQ(operand.members[1].kind, Kind::kSink);
  operand = instruction_of("ld.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1];").operands.at(0);
  EXPECT_EQ(operand.members.size(), 4U);
  operand = instruction_of("mov.v2.u32 %v, { 0,1.5 };").operands.at(1);
  EXPECT_EQ(operand.members.at(0).kind, Kind::kInteger);
  EXPECT_EQ(operand.members.at(1).kind, Kind::kFloat64);
  operand = instruction_of("shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;").operands.at(0);
  EXPECT_EQ(operand.kind, Kind::kPair);
  EXPECT_EQ(operand.members.size(), 2U);
  operand = instruction_of("setp.eq.u32 _|%p1, %r2, 0;").operands.at(0);
  EXPECT_EQ(operand.members.at(0).kind, Kind::kSink);
  operand = instruction_of("atom.exch.b32 _, [%rd1], %r1;").operands.at(0);
  EXPECT_EQ(operand.kind, Kind::kSink);
}

TEST(Instruction, VectorRegistersAndTheirElements) {
  EXPECT_EQ(instruction_of("mov.u32 %v.x, 1;").operands.at(0).element, 0);
  EXPECT_EQ(instruction_of("mov.u32 %v.y, 1;").operands.at(0).element, 1);
  EXPECT_EQ(instruction_of("mov.u32 %v.g, 1;").operands.at(0).element, 1);
  EXPECT_EQ(instruction_of("mov.v2.u32 %v, %v;").operands.at(0).element, Operand::kWhole);
}

TEST(Instruction, NegatedOperands) {
  const Instruction negated = instruction_of("selp.b32 %r1, -%r2, 3, !%p1;");
  EXPECT_TRUE(negated.operands.at(1).minus);
  EXPECT_TRUE(negated.operands.at(3).negated);
  EXPECT_EQ(instruction_of("mov.b32 %r1, !0;").operands.at(1).value, 1);
}

TEST(Instruction, SpecialRegisters) {
  struct Case {
    std::string name;
    SpecialRegister special;
    std::int64_t value = 0;
    std::uint8_t element = Operand::kWhole;
  };
  const Case cases[] = {
      {"%tid.x", SpecialRegister::kTidX},
      {"%tid.z", SpecialRegister::kTidZ},
      {"%ntid.y", SpecialRegister::kNtidY},
      {"%ctaid.x", SpecialRegister::kCtaidX},
      {"%nctaid.z", SpecialRegister::kNctaidZ},
      {"%laneid", SpecialRegister::kLaneid},
      {"%lanemask_gt", SpecialRegister::kLanemaskGt},
      {"%clock64", SpecialRegister::kClock64},
      {"%clock_hi", SpecialRegister::kClockHi},
      {"%globaltimer_lo", SpecialRegister::kGlobaltimerLo},
      {"%dynamic_smem_size", SpecialRegister::kDynamicSmemSize},
      {"%envreg0", SpecialRegister::kEnvreg, 0},
      {"%envreg31", SpecialRegister::kEnvreg, 31},
      {"%pm3", SpecialRegister::kPm, 3},
      {"%pm7_64", SpecialRegister::kPm, 7},
      {"%clusterid.y", SpecialRegister::kClusterid, 0, 1},
      {"%cluster_nctaid.z", SpecialRegister::kClusterNctaid, 0, 2},
      {"WARP_SZ", SpecialRegister::kWarpSize},
  };
  for (const Case& test : cases) {
    const Operand operand = instruction_of("mov.u32 %r1, " + test.name + ";").operands.at(1);
    EXPECT_EQ(operand.kind, Kind::kSpecial) << test.name;
    EXPECT_EQ(operand.special, test.special) << test.name;
    EXPECT_EQ(operand.value, test.value) << test.name;
    EXPECT_EQ(operand.element, test.element) << test.name;
  }
  const Operand fourth = instruction_of("mov.u32 %r1, %tid.w;").operands.at(1);
  EXPECT_EQ(fourth.kind, Kind::kInteger);
  EXPECT_EQ(fourth.value, 0);
}

TEST(Instruction, RegistersOfTheUserGoBeforeSpecialOnes) {
  const auto module = module_with("{ .reg .u32 %laneid; .reg .v2 .u32 %tid;\n"
                                  "mov.u32 %laneid, %tid.y; }\nmov.u32 %r1, %laneid;");
  const std::vector<Instruction>& all = kernel_of(*module).instructions;
  EXPECT_EQ(all[0].operands[0].kind, Kind::kRegister);
  EXPECT_EQ(all[0].operands[1].element, 1);
  EXPECT_EQ(all[1].operands[1].kind, Kind::kSpecial);
}

const char* const kFunctions = ".func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }\n"
                               ".func g() { ret; }\n";

TEST(Instruction, DirectCalls) {
  const Instruction call =
      instruction_of("{ .param .b32 x<3>; call.uni (x0), f, (x1, x2); }", kFunctions);
  ASSERT_EQ(call.operands.size(), 4U);
  EXPECT_EQ(call.operands[0].members.size(), 1U);
  EXPECT_EQ(call.operands[0].members[0].kind, Kind::kVariable);
  EXPECT_EQ(call.operands[1].kind, Kind::kSymbol);
  EXPECT_EQ(call.operands[2].members.size(), 2U);
  EXPECT_EQ(call.operands[3].kind, Kind::kSink);
  for (const char* text : {"call g;", "call g, ();", "call (), g, ();", "@%p1 call g;"}) {
    const Instruction bare = instruction_of(text, kFunctions);
    ASSERT_EQ(bare.operands.size(), 4U) << text;
    EXPECT_EQ(bare.operands[0].kind, Kind::kVector);
    EXPECT_TRUE(bare.operands[0].members.empty());
    EXPECT_EQ(bare.operands[2].kind, Kind::kVector);
    EXPECT_TRUE(bare.operands[2].members.empty());
  }
  const Instruction sink = instruction_of("call (_), f, (%r1, 5);", kFunctions);
  EXPECT_EQ(sink.operands[0].members[0].kind, Kind::kSink);
  EXPECT_EQ(sink.operands[2].members[1].value, 5);
}

TEST(Instruction, IndirectCalls) {
  const char* const texts[] = {
      "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);\n"
      "{ .param .b32 x<3>; call (x0), %rd1, (x1, x2), P; }",
      "{ .param .b32 x<3>; P : .callprototype (.param .b32 o) _ (.param .b32 a, .param .b32);\n"
      "call (x0), %rd1, (x1, x2), P; }",
      "{ .param .b32 x<3>; call (x0), %rd1, (x1, x2), P;\n"
      "P: .callprototype (.param .b32 o) _ (.param .b32 a, .param .b32 b) .noreturn; }",
  };
  for (const char* text : texts) {
    const auto module = module_with(text);
    const Function& kernel = kernel_of(*module);
    const Instruction& call = kernel.instructions.back();
    EXPECT_EQ(call.operands[1].kind, Kind::kRegister);
    ASSERT_EQ(call.operands[3].kind, Kind::kPrototype);
    const Prototype& prototype = kernel.prototypes.at(call.operands[3].index);
    EXPECT_EQ(prototype.results.size(), 1U);
    EXPECT_EQ(prototype.parameters.size(), 2U);
  }
  const auto bare = module_with("P: .callprototype _ ();\ncall %rd1, P;\nQ: .callprototype _;\n"
                                "call %rd1, (), Q;");
  EXPECT_EQ(kernel_of(*bare).prototypes.size(), 2U);
}

TEST(Instruction, ListsOfCallTargets) {
  const auto module = module_with(
      "L: .calltargets f, h;\ncall (%r1), %rd1, (%r1, %r2), L;\n"
      "call (%r1), %rd1, (%r1, %r2), table;",
      std::string(kFunctions) + ".func (.param .b32 r) h(.param .b32 a, .param .b32 b) { ret; }\n"
                                ".global .u64 table[4] = {0, h, f};\n");
  const Function& kernel = kernel_of(*module);
  const auto targets = [&](std::size_t call) {
    const Operand& list = kernel.instructions.at(call).operands.at(3);
    EXPECT_EQ(list.kind, Kind::kCallTargets);
    return kernel.call_targets.at(list.index);
  };
  const std::uint32_t f = *module->find("f");
  const std::uint32_t h = *module->find("h");
  EXPECT_EQ(targets(0), (std::vector{f, h}));
  EXPECT_EQ(targets(1), (std::vector{h, f}));
}

TEST(Instruction, Branches) {
  const auto module = module_with("A: bra B;\n@%p1 bra.uni A;\nT: .branchtargets A, B;\n"
                                  "brx.idx %r1, T;\nB:");
  const Function& kernel = kernel_of(*module);
  ASSERT_EQ(kernel.labels.size(), 2U);
  EXPECT_EQ(kernel.labels[0].instruction, 0U);
  EXPECT_EQ(kernel.labels[1].instruction, 3U);
  EXPECT_EQ(kernel.instructions[0].operands[0].kind, Kind::kLabel);
  EXPECT_EQ(kernel.instructions[0].operands[0].index, 1U);
  EXPECT_EQ(kernel.instructions[1].operands[0].index, 0U);
  EXPECT_EQ(kernel.instructions[2].operands[1].kind, Kind::kLabelList);
  EXPECT_EQ(kernel.label_lists.at(0), (std::vector<std::uint32_t>{0, 1}));
}

TEST(Instruction, BranchesGoToTheLabelOfTheInnermostScope) {
  const auto module = module_with("L:\n{ bra L; ret;\nL:\n{ bra L; bra M; }\n}\nbra L;\nM:");
  const Function& kernel = kernel_of(*module);
  EXPECT_EQ(kernel.instructions[0].operands[0].index, 1U);
  EXPECT_EQ(kernel.instructions[2].operands[0].index, 1U);
  EXPECT_EQ(kernel.instructions[3].operands[0].index, 2U);
  EXPECT_EQ(kernel.instructions[4].operands[0].index, 0U);
}

} // namespace
} // namespace gantry::simt::ptx
