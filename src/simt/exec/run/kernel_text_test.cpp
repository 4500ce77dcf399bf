// How lanes go their ways: divergence, calls, local memory.
#include "simt/exec/testing/kernel_text.h"

namespace gantry::simt::exec {
namespace {

TEST(Kernel, TakesBothSidesOfABranch) {
  const Words result = run_body(R"(
  and.b32 r1, r0, 1; setp.eq.u32 p0, r1, 0;
  @p0 bra $even;
  mov.u64 d2, 100; bra $end;
$even:
  mov.u64 d2, 200;
$end:
  activemask.b32 r2; cvt.u64.u32 d3, r2; shl.b64 d3, d3, 32; or.b64 d2, d2, d3;
  st.global.u64 [d1], d2;)",
                                32);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], (i % 2 == 0 ? 200 : 100) | 0xFFFFFFFF'00000000) << "lanes meet again";
  }
}

TEST(Kernel, LoadsForAllLanesBeforeItStores) {
  // As GCC's code does, all lanes change one place: it changes once.
  const Words result =
      run_body("ld.global.u64 d2, [d0]; add.u64 d2, d2, 1; st.global.u64 [d0], d2;", 32);
  EXPECT_EQ(result[0], 1);
}

TEST(Kernel, LetsALaneWaitForAnotherOneThatComesLater) {
  // The lanes that wait are at the lower position, and wait without a branch of the others.
  const Words result = run_body(R"(
  setp.eq.u32 p0, r0, 0;
  @p0 bra $signal;
$wait:
  ld.volatile.global.u64 d3, [d0]; setp.eq.u64 p1, d3, 0;
  @p1 bra $wait;
  bra $end;
$signal:
  mov.u64 d4, 9; st.volatile.global.u64 [d0], d4;
$end:
  cvt.u64.u32 d2, r0; @!p0 st.global.u64 [d1], d2;)",
                                32);
  EXPECT_EQ(result[0], 9);
  EXPECT_EQ(result[31], 31);
}

TEST(Kernel, LetsALaneGoOnThoughOthersWaitAtSeveralPlaces) {
  // Two groups of lanes that wait, both at lower positions than the one lane that they wait for.
  const Words result = run_body(R"(
  setp.eq.u32 p0, r0, 0;
  @p0 bra $signal;
  and.b32 r1, r0, 1; setp.eq.u32 p2, r1, 0;
  @p2 bra $even;
$odd:
  nanosleep.u32 20;
  ld.volatile.global.u64 d3, [d0]; setp.eq.u64 p1, d3, 0;
  @p1 bra $odd;
  bra $end;
$even:
  nanosleep.u32 20;
  ld.volatile.global.u64 d3, [d0]; setp.eq.u64 p1, d3, 0;
  @p1 bra $even;
  bra $end;
$signal:
  mov.u64 d4, 9; st.volatile.global.u64 [d0], d4;
$end:
  cvt.u64.u32 d2, r0; @!p0 st.global.u64 [d1], d2;)",
                                32);
  EXPECT_EQ(result[0], 9);
  EXPECT_EQ(result[31], 31);
}

TEST(Kernel, LetsAWarpWaitForAnotherOne) {
  const Words result = run_body(R"(
  setp.ge.u32 p0, r0, 32;
  @p0 bra $signal;
$wait:
  nanosleep.u32 100;
  ld.volatile.global.u64 d3, [d0+256]; setp.eq.u64 p1, d3, 0;
  @p1 bra $wait;
  st.global.u64 [d1], 5; bra $end;
$signal:
  st.volatile.global.u64 [d1], 7;
$end:
)",
                                64);
  EXPECT_EQ(result[0], 5);
  EXPECT_EQ(result[32], 7);
}

TEST(Kernel, CallsFunctionsRecursively) {
  const std::string before = R"(
.func (.param .b64 out) fibonacci(.param .b32 n) {
  .reg .pred p; .reg .b32 r<3>; .reg .b64 d<3>;
  ld.param.u32 r0, [n];
  setp.lt.u32 p, r0, 2;
  @p bra $base;
  sub.u32 r1, r0, 1; sub.u32 r2, r0, 2;
  {
    .param .b32 a; .param .b64 o;
    st.param.b32 [a], r1; call.uni (o), fibonacci, (a); ld.param.b64 d0, [o];
  }
  {
    .param .b32 a; .param .b64 o;
    st.param.b32 [a], r2; call.uni (o), fibonacci, (a); ld.param.b64 d1, [o];
  }
  add.u64 d0, d0, d1;
  st.param.b64 [out], d0;
  ret;
$base:
  cvt.u64.u32 d0, r0;
  st.param.b64 [out], d0;
  ret;
}
)";
  const Words result = run_body(R"(
  rem.u32 r1, r0, 12;
  { .param .b32 a; .param .b64 o;
    st.param.b32 [a], r1; call (o), fibonacci, (a); ld.param.b64 d2, [o]; }
  st.global.u64 [d1], d2;)",
                                32, before);
  const Words fibonacci = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], fibonacci[i % 12]);
  }
}

TEST(Kernel, MultipliesMatricesInCallsOfOneFunctionFromBothSidesOfABranch) {
  // A's elements are the lanes' numbers, B's are 1: each sum of a row is that of its four lanes.
  const std::string before = R"(
.func (.reg .f64 sum) multiply(.reg .f64 a) {
  .reg .f64 e<3>; mov.f64 e0, 0d3FF0000000000000; mov.f64 e1, 0d0000000000000000;
  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {sum, e2}, {a}, {e0}, {e1, e1};
  ret;
}
)";
  const Words result = run_body(R"(
  .reg .f64 e<2>;
  cvt.rn.f64.u32 e0, r0; setp.lt.u32 p0, r0, 13;
  @p0 bra $low;
  call (e1), multiply, (e0);
  bra $end;
$low:
  call (e1), multiply, (e0);
  neg.f64 e1, e1;
$end:
  cvt.rni.s64.f64 d2, e1; st.global.u64 [d1], d2;)",
                                32, before);
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint64_t sum = i / 4 * 16 + 6;
    EXPECT_EQ(result[i], i < 13 ? -sum : sum) << i;
  }
}

TEST(Kernel, PassesRegistersAndStructures) {
  const std::string before = R"(
.func (.reg .u64 sum) add3(.reg .u64 a, .reg .u32 b, .reg .u64 c) {
  .reg .u64 t; cvt.u64.u32 t, b; add.u64 sum, a, t; add.u64 sum, sum, c; ret;
}
.func (.param .align 8 .b8 out[16]) swap(.param .align 8 .b8 in[16]) {
  .reg .b64 d<2>;
  ld.param.v2.b64 {d0, d1}, [in]; st.param.b64 [out], d1; st.param.b64 [out+8], d0; ret;
}
)";
  const Words result = run_body(R"(
  cvt.u64.u32 d2, r0;
  call (d3), add3, (d2, r0, 1000);
  { .param .align 8 .b8 a[16]; .param .align 8 .b8 o[16];
    st.param.b64 [a], d3; st.param.b64 [a+8], d2;
    call (o), swap, (a);
    ld.param.b64 d4, [o]; ld.param.b64 d5, [o+8]; }
  shl.b64 d4, d4, 32; or.b64 d4, d4, d5;
  st.global.u64 [d1], d4;)",
                                32, before);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], i << 32 | (2 * i + 1000));
  }
}

TEST(Kernel, CopiesAParameterWhoseAddressIsTaken) {
  const std::string before = R"(
.func (.param .b64 out) pick(.param .align 8 .b8 in[16], .param .b32 which) {
  .reg .b32 r; .reg .b64 d<4>;
  ld.param.u32 r, [which]; mul.wide.u32 d0, r, 8;
  mov.b64 d1, in; add.u64 d1, d1, d0; ld.local.b64 d2, [d1];
  st.param.b64 [out], d2; ret;
}
)";
  const Words result = run_body(R"(
  and.b32 r1, r0, 1; cvt.u64.u32 d2, r0;
  { .param .align 8 .b8 a[16]; .param .b32 b; .param .b64 o;
    st.param.b64 [a], d2; st.param.b64 [a+8], 77; st.param.b32 [b], r1;
    call (o), pick, (a, b); ld.param.b64 d4, [o]; }
  st.global.u64 [d1], d4;)",
                                32, before);
  EXPECT_EQ(result[4], 4);
  EXPECT_EQ(result[5], 77);
}

TEST(Kernel, GivesEveryCallItsOwnLocalMemory) {
  const std::string before = R"(
.func (.param .b32 out) depth(.param .b32 n) {
  .local .align 4 .b8 here[4];
  .reg .pred p; .reg .b32 r<4>;
  ld.param.u32 r0, [n]; st.local.u32 [here], r0; mov.u32 r2, 0;
  setp.eq.u32 p, r0, 0;
  @p bra $end;
  sub.u32 r1, r0, 1;
  { .param .b32 a; .param .b32 o;
    st.param.b32 [a], r1; call (o), depth, (a); ld.param.b32 r2, [o]; }
$end:
  ld.local.u32 r3, [here]; add.u32 r2, r2, r3; st.param.b32 [out], r2; ret;
}
)";
  const Words result = run_body(R"(
  { .param .b32 a; .param .b32 o;
    st.param.b32 [a], 5; call (o), depth, (a); ld.param.b32 r2, [o]; }
  cvt.u64.u32 d2, r2; st.global.u64 [d1], d2;)",
                                1, before);
  EXPECT_EQ(result[0], 15);
}

TEST(Kernel, AllocatesFromTheStack) {
  const Words result = run_body(R"(
  .local .align 8 .b8 fixed[8];
  stacksave.u64 d2;
  add.u32 r1, r0, 1; mul.wide.u32 d3, r1, 16;
  alloca.u64 d4, d3, 16;
  and.b64 d5, d4, 15;
  cvt.u64.u32 d6, r0; st.local.u64 [d4], d6; st.local.u64 [fixed], 5;
  cvta.local.u64 d7, d4; ld.u64 d8, [d7];
  stackrestore.u64 d2;
  alloca.u64 d9, 16, 16;
  setp.eq.u64 p0, d9, d4; selp.u64 d10, 0, 1000, p0;
  add.u64 d8, d8, d5; add.u64 d8, d8, d10;
  st.global.u64 [d1], d8;)",
                                32);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], i);
  }
}

TEST(Kernel, FindsEachThreadsOwnLocalMemoryByOneGenericAddress) {
  const Words result = run_body(R"(
  .local .align 8 .b8 own[8]; .shared .align 8 .b8 common[8];
  mov.b64 d2, own; cvta.local.u64 d3, d2; setp.eq.u32 p0, r0, 0;
  @p0 st.shared.u64 [common], d3;
  bar.sync 0;
  ld.shared.u64 d4, [common]; cvt.u64.u32 d5, r0; st.u64 [d4], d5;
  bar.sync 0;
  cvta.to.local.u64 d4, d4; ld.local.u64 d6, [d4]; st.global.u64 [d1], d6;)",
                                32);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], i);
  }
}

TEST(Kernel, UnpacksVectorRegisters) {
  const Words result = run_body(R"(
  .reg .v2 .u32 v;
  add.u32 r1, r0, 5; add.u32 r2, r0, 7;
  mov.v2.u32 v, {r1, r2}; mov.v2.u32 {r2, r1}, v; mov.b64 d2, v;
  shl.b32 r1, r1, 8; add.u32 r1, r1, r2; add.u32 r1, r1, v.x;
  mov.b64 v, d0; xor.b32 r3, v.x, v.y; cvt.u32.u64 r4, d0; shr.u64 d3, d0, 32; cvt.u32.u64 r5, d3;
  xor.b32 r4, r4, r5; setp.eq.u32 p0, r3, r4; @!p0 mov.u32 r1, 0;
  cvt.u64.u32 d4, r1; add.u64 d2, d2, d4; st.global.u64 [d1], d2;)",
                                32);
  for (std::uint64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], ((i + 7) << 32 | (i + 5)) + (i + 7) * 256 + 2 * (i + 5));
  }
}

} // namespace
} // namespace gantry::simt::exec
