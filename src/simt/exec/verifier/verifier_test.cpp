// Which instructions are accepted and what is said of the others.
#include "simt/exec/verifier/verifier.h"
#include "simt/ptx/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

/// What verify() says of the last instruction of a kernel with registers p, h, r, f, d, e of
/// predicates, 16, 32 bits, f32, 64 bits, f64, and v of two words.
std::string error_of(const std::string& instruction) {
  auto module = ptx::parse(fmt::format(R"(.version 8.3
.target sm_90
.address_size 64
.global .align 8 .b64 g[4];
.shared .align 8 .b64 s[4];
.func (.param .b32 out) callee(.param .b32 in) {{ ret; }}
.visible .entry k(.param .u64 memory) {{
  .reg .pred p<5>; .reg .b16 h<5>; .reg .b32 r<9>; .reg .f32 f<5>; .reg .b64 d<5>; .reg .f64 e<5>;
  .reg .v2 .u32 v; .local .align 8 .b8 l[64]; .param .b32 a; .param .b32 o;
  {}
end:
}})",
                                       instruction),
                           "test.ptx");
  if (!module) {
    return "parse: " + module.error().message;
  }
  const ptx::Function& kernel = (*module)->functions.back();
  return verify(kernel.instructions.back(), kernel);
}

TEST(Refusal, AcceptsWhatTheExecutorRuns) {
  for (const char* instruction : {
           "add.u32 r0, r1, 5;",
           "add.cc.u32 r0, r1, r2;",
           "addc.cc.s64 d0, d1, 0;",
           "add.sat.s32 r0, r1, r2;",
           "add.rn.ftz.sat.f32 f0, f1, 0f3F800000;",
           "add.f32 r0, r1, 1.5;",
           "add.rp.f64 e0, e1, e2;",
           "add.rn.f16x2 r0, r1, r2;",
           "mul.wide.s16 r0, h1, h2;",
           "mad.wide.u32 d0, r1, r2, d3;",
           "mad.lo.cc.u32 r0, r1, r2, r3;",
           "fma.rn.relu.bf16x2 r0, r1, r2, r3;",
           "div.full.ftz.f32 f0, f1, f2;",
           "rcp.approx.ftz.f64 e0, e1;",
           "ex2.approx.ftz.bf16x2 r0, r1;",
           "tanh.approx.f16 h0, h1;",
           "min.NaN.xorsign.abs.f32 f0, f1, f2;",
           "max.s16x2 r0, r1, r2;",
           "testp.normal.f64 p0, e1;",
           "and.pred p0, p1, !p2;",
           "not.pred p0, p1;",
           "shl.b64 d0, d1, r2;",
           "shr.s16 h0, h1, 3;",
           "shf.l.wrap.b32 r0, r1, r2, r3;",
           "lop3.b32 r0, r1, r2, r3, 0x96;",
           "prmt.b32.rc16 r0, r1, r2, r3;",
           "bfi.b64 d0, d1, d2, r1, 8;",
           "selp.f32 r0, r1, 0f00000000, p1;",
           "slct.f64.f32 e0, e1, e2, f1;",
           "setp.geu.ftz.f32 p0, f1, f2;",
           "setp.lt.and.s32 p0|p1, r1, r2, !p3;",
           "setp.eq.u16 p0, r1, 1;",
           "set.eq.u32.u64 r0, d1, d2;",
           "set.nan.f16.f16 h0, h1, h2;",
           "mov.b64 {r0, r1}, d1;",
           "mov.b64 d0, {h0, h1, h2, h3};",
           "mov.v2.u32 v, {0, 0};",
           "mov.b64 d0, v;",
           "mov.b64 v, d0;",
           "mov.u32 v.x, r1;",
           "mov.u64 d0, g+8;",
           "mov.u32 r0, s;",
           "mov.b64 d0, l;",
           "mov.u32 r0, %tid.x;",
           "mov.u64 d0, %clock64;",
           "mov.b64 d0, memory;",
           "mov.b32 r0, 0f3F800000;",
           "mov.pred p0, -1;",
           "mov.u32 r0, WARP_SZ;",
           "cvt.u64.u8 d0, r1;",
           "cvt.s32.s8 r0, r1;",
           "cvt.rn.f16x2.f32 r0, f1, f2;",
           "cvt.rzi.s64.f32 d0, f1;",
           "cvt.rn.f32.u64 f0, d1;",
           "cvt.f64.f32 e0, f1;",
           "cvt.rni.ftz.f32.f32 f0, f1;",
           "cvt.sat.f32.f32 f0, f1;",
           "cvt.rn.bf16.f64 h0, e1;",
           "cvt.rna.tf32.f32 r0, f1;",
           "cvt.rz.relu.tf32.f32 r0, f1;",
           "cvta.to.shared.u64 d0, d1;",
           "cvta.global.u64 d0, g;",
           "isspacep.shared::cta p0, d1;",
           "ld.u8 r0, [d1+3];",
           "ld.shared.u32 r0, [r1];",
           "ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {f0, f1, f2, f3}, [d1];",
           "ld.param.u64 d0, [memory];",
           "ld.relaxed.sys.global.b16 h0, [d1];",
           "ld.v8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [d1];",
           "ld.v2.u32 v, [d1];",
           "ld.local.b32 r0, [l+60];",
           "ld.volatile.shared.f64 e0, [s];",
           "ld.u32 {r0}, [d1];",
           "st.global.v2.u64 [d1], {d2, 5};",
           "st.b32 [d1], 0f3F800000;",
           "st.release.gpu.global.u32 [d1], r1;",
           "st.param.b32 [a], r1;",
           "ldu.global.v2.f32 {f0, f1}, [d1];",
           "prefetch.global.L2 [d1];",
           "discard.global.L2 [d1], 128;",
           "cp.async.cg.shared.global.L2::128B [r1], [d1], 16;",
           "cp.async.ca.shared.global [r1], [d1], 8, r2;",
           "cp.async.wait_group 1;",
           "cp.async.wait_all;",
           "atom.global.sys.cas.b32 _, [d1], r1, r2;",
           "atom.acq_rel.sys.global.cas.b64 d0, [d1], d2, d3;",
           "atom.add.noftz.bf16x2 r0, [d1], r1;",
           "atom.cas.b16 h0, [d1], h1, h2;",
           "red.global.add.f32 [d1], f1;",
           "membar.gl;",
           "fence.acq_rel.gpu;",
           "fence.sc.cluster;",
           "bar.sync 0;",
           "bar.sync r1, r2;",
           "bar.arrive 1, 64;",
           "bar.red.popc.u32 r0, 0, !p1;",
           "barrier.cta.red.and.aligned.pred p0, 1, 64, p1;",
           "bar.warp.sync 0xFFFFFFFF;",
           "barrier.sync.aligned 0;",
           "shfl.sync.down.b32 r0|p1, r1, 4, 31, -1;",
           "shfl.bfly.b32 r0, r1, 1, 31;",
           "vote.sync.ballot.b32 r0, !p1, -1;",
           "match.all.sync.b64 r0|p1, d1, -1;",
           "redux.sync.min.u32 r0, r1, -1;",
           "activemask.b32 r0;",
           "elect.sync r0|p1, -1;",
           "elect.sync _|p1, -1;",
           "nanosleep.u32 20;",
           "@!p1 bra.uni end;",
           "mov.pred p0, %is_explicit_cluster;",
           "call (o), callee, (a);",
           "call (r1), callee, (r2);",
           "ret;",
           "exit;",
           "trap;",
           "brkpt;",
           "pmevent 3;",
           "alloca.u64 d0, d1, 16;",
           "stacksave.u64 d0;",
           "vadd.u32.u32.u32.add r0, r1, r2, r3;",
           "vabsdiff4.u32.u32.u32.add r0, r1, r2, r3;",
           "vset2.s32.s32.lt r0, r1, r2, r3;",
       }) {
    EXPECT_EQ(error_of(instruction), "") << instruction;
  }
}

TEST(Refusal, NamesWhatIsNotSupported) {
  EXPECT_EQ(error_of("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 r0, r1, r2, r3;"),
            "Feature 'wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16' not supported");
  EXPECT_EQ(error_of("add.swizzled.u32 r0, r1, r2;"), "Feature 'add.swizzled.u32' not supported");
  EXPECT_EQ(error_of("mov.u32 r0, %envreg2;"), "");
  EXPECT_EQ(error_of("mov.u32 r0, %envreg3;"), "");
  EXPECT_EQ(error_of("red.async.relaxed.cluster.global.add.u32 [d1], r1;"),
            "Feature 'red.async.relaxed.cluster.global.add.u32' not supported");
  EXPECT_EQ(error_of("ld.global.L2::cache_hint.u32 r0, [d1], d2;"), "");
  EXPECT_EQ(error_of("ld.global.L2::cache_hint.u32 r0, [d1];"),
            "Arguments mismatch for instruction 'ld'");
  EXPECT_EQ(error_of("ld.global.u32 r0, [d1], d2;"), "Arguments mismatch for instruction 'ld'");
  EXPECT_EQ(error_of("atom.global.v2.add.f32 {f0, f1}, [d1], {f2, f3};"),
            "Feature 'atom.global.v2.add.f32' not supported");
}

/// An instruction's name and its operands.
struct OfMatrices {
  const char* name;
  const char* operands;
};

TEST(Refusal, AcceptsMatrices) {
  for (const auto& [name, operands] : std::initializer_list<OfMatrices>{
           {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
            "{f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f0, f1, f2, f3}"},
           {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", "{r0, _}, {r0, r1}, {r4}, {0, 0}"},
           {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
            "{r0, r1, r2, r3}, {r4, r5}, {r6}, {r0, r1, r2, r3}"},
           {"mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f16",
            "{f0, f1, f2, f3, f4, r0, r1, r2}, {r0, r1}, {r2, r3}, {r0, r1, r2, r3}"},
           {"mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64", "{e0, e1}, {d2}, {e3}, {e0, e1}"},
           {"mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32",
            "{r0, r1, r2, r3}, {r4, r5, r6, r7}, {r1, r2}, {r0, r1, r2, r3}"},
           {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc",
            "{r0, r1}, {r4}, {r5}, {r0, r1}"},
           {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "{r0, r1, r2, r3}, [s]"},
           {"ldmatrix.sync.aligned.x1.m8n8.b16", "{r0}, [d1+16]"},
           {"stmatrix.sync.aligned.m8n8.x2.shared::cta.b16", "[r1], {r2, r3}"},
           {"movmatrix.sync.aligned.m8n8.trans.b16", "r0, r1"},
       }) {
    EXPECT_EQ(error_of(fmt::format("{} {};", name, operands)), "") << name;
  }
}

TEST(Refusal, ChecksOperandsOfMatrices) {
  constexpr const char* kHalves = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16";
  for (const auto& [name, operands] : std::initializer_list<OfMatrices>{
           {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
            "{f0, f1, f2, f3}, {r0, r1}, {r4, r5}, {f0, f1, f2, f3}"},
           {kHalves, "{r0, r1}, {r2, r3}, r4, {r0, r1}"},
           {kHalves, "{h0, h1}, {r2, r3}, {r4}, {r0, r1}"},
           {kHalves, "{r0, r1}, {r2, d3}, {r4}, {r0, r1}"},
           {kHalves, "{r0, 1}, {r2, r3}, {r4}, {r0, r1}"},
           {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "{e0, e1}, {f2}, {e3}, {e0, e1}"},
           {"ldmatrix.sync.aligned.m8n8.x2.shared.b16", "{r0}, [r1]"},
           {"ldmatrix.sync.aligned.m8n8.x1.shared.b16", "r0, [r1]"},
           {"stmatrix.sync.aligned.m8n8.x1.shared.b16", "{r0}, [r1]"},
           {"movmatrix.sync.aligned.m8n8.trans.b16", "{r0}, {r1}"},
       }) {
    const std::string text = error_of(fmt::format("{} {};", name, operands));
    EXPECT_TRUE(text.starts_with("Arguments mismatch for instruction '")) << operands << text;
  }
}

TEST(Refusal, NamesMatricesThatAreNotSupported) {
  const std::string sums = " {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f0, f1, f2, f3};";
  for (const char* name : {
           "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
           "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
           "mma.sync.aligned.m8n8k4.row.f32.f16.f16.f32",
           "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.rz.f32.f16.f16.f32",
           "mma.sync.m16n8k16.row.col.f32.f16.f16.f32",
           "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
           "tcgen05.mma.cta_group::1.kind::f16",
       }) {
    EXPECT_EQ(error_of(name + sums), fmt::format("Feature '{}' not supported", name));
  }
  EXPECT_EQ(error_of("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {r0}, [r1];"),
            "Feature 'ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8' not supported");
  EXPECT_EQ(error_of("ldmatrix.sync.aligned.m8n8.shared.b16 {r0}, [r1];"),
            "Modifier required for instruction 'ldmatrix': .x1, .x2, .x4");
  EXPECT_EQ(error_of("ldmatrix.sync.aligned.m8n8.x1.global.b16 {r0}, [d1];"),
            "Illegal modifier '.global' for instruction 'ldmatrix'");
  EXPECT_EQ(error_of("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [l];"),
            "State space mismatch between instruction and address in instruction 'ldmatrix'");
}

TEST(Refusal, NamesIllegalModifiersAndTypes) {
  EXPECT_EQ(error_of("add.sat.u32 r0, r1, r2;"), "Illegal modifier '.sat' for instruction 'add'");
  EXPECT_EQ(error_of("add.ftz.f64 e0, e1, e2;"), "Illegal modifier '.ftz' for instruction 'add'");
  EXPECT_EQ(error_of("mul.u32 r0, r1, r2;"), "Modifier required for instruction 'mul': .lo, .hi");
  EXPECT_EQ(error_of("div.f32 f0, f1, f2;"), "Rounding modifier required for instruction 'div'");
  EXPECT_EQ(error_of("fma.f64 e0, e1, e2, e3;"),
            "Rounding modifier required for instruction 'fma'");
  EXPECT_EQ(error_of("cvt.f16.f32 h0, f1;"), "Rounding modifier required for instruction 'cvt'");
  EXPECT_EQ(error_of("cvt.s32.f32 r0, f1;"), "Rounding modifier required for instruction 'cvt'");
  EXPECT_EQ(error_of("cvt.rn.s32.f32 r0, f1;"), "Illegal rounding modifier for instruction 'cvt'");
  EXPECT_EQ(error_of("cvt.rn.f64.f32 e0, f1;"), "Illegal rounding modifier for instruction 'cvt'");
  EXPECT_EQ(error_of("cvt.ftz.u64.u32 d0, r1;"), "Illegal modifier '.ftz' for instruction 'cvt'");
  EXPECT_EQ(error_of("popc.u32 r0, r1;"), "Unexpected instruction types specified for 'popc'");
  EXPECT_EQ(error_of("setp.lt.b32 p0, r1, r2;"), "Illegal modifier '.lt' for instruction 'setp'");
  EXPECT_EQ(error_of("redux.sync.min.f32 f0, f1, -1;"),
            "Unexpected instruction types specified for 'redux'");
  EXPECT_EQ(error_of("cp.async.cg.shared.global [r1], [d1], 8;"),
            "Illegal size 8 for instruction 'cp.async'");
}

TEST(Refusal, ChecksOperands) {
  for (const char* instruction : {
           "add.u32 r0, r1;",
           "add.u32 r0, r1, r2, r3;",
           "add.u32 5, r1, r2;",
           "add.u32 d0, r1, r2;",
           "add.u64 d0, r1, d2;",
           "add.u32 r0, p1, r2;",
           "add.u32 r0, r1, 0f3F800000;",
           "add.f32 f0, f1, 1;",
           "add.f64 e0, e1, 0f3F800000;",
           "add.u32 r0, !p1, r2;",
           "add.u32 v, r1, r2;",
           "add.f32 f0, e1, f2;",
           "and.pred p0, r1, p2;",
           "setp.eq.u32 r0, r1, r2;",
           "setp.eq.and.u32 p0, r1, r2;",
           "setp.eq.u32 p0, r1, r2, p3;",
           "selp.u32 r0, r1, r2, r3;",
           "mov.u32 r0, d1, r2;",
           "mov.u64 d0, r1;",
           "mov.u16 h0, s;",
           "mov.b64 d0, {r0, d1};",
           "mov.b32 {r0, r1}, r2;",
           "mov.u64 d0, %tid.x;",
           "ld.u32 h0, [d1];",
           "ld.v2.u32 {r0}, [d1];",
           "ld.f32 e0, [d1];",
           "ld.v8.b64 {d0, d1, d2, d3, d4, d0, d1, d2}, [d1];",
           "ld.u32 r0, [h1];",
           "ld.param.u64 d0, [memory+8];",
           "ld.param.v2.u64 {d0, d1}, [memory];",
           "st.param.u64 [memory], d0;",
           "st.param.u32 [r1], r0;",
           "st.u32 r0, [d1];",
           "atom.add.u32 r0, [d1];",
           "atom.cas.b32 r0, [d1], r1;",
           "bar.red.popc.u32 r0, 0, r1;",
           "shfl.sync.idx.b32 r0|r1, r1, 4, 31, -1;",
           "bra 4;",
           "call (o), callee;",
           "mov.u32 r0, %is_explicit_cluster;",
           "mov.b64 d0, %is_explicit_cluster;",
           "mov.pred p0, %laneid;",
           "lop3.b32 r0, r1, r2, r3, 300;",
           "alloca.u64 d0, d1, 3;",
           "discard.L2 [d1], 64;",
           "mul.wide.u32 r0, r1, r2;",
           "elect.sync r0, -1;",
       }) {
    const std::string text = error_of(instruction);
    EXPECT_TRUE(text.starts_with("Arguments mismatch for instruction '") ||
                text.starts_with("parse: "))
        << instruction << ": " << text;
  }
  EXPECT_EQ(error_of("ld.shared.u32 r0, [l];"),
            "State space mismatch between instruction and address in instruction 'ld'");
}

} // namespace
} // namespace gantry::simt::exec
