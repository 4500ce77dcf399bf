// What threads do together: barriers, exchanges between lanes, atomics, memory of all
// kinds; and faults.
#include "simt/exec/kernel_text.h"

#include <numeric>

#include <fmt/format.h>

namespace gantry::simt::exec {
namespace {

TEST(Kernel, SharesMemoryOfABlockAcrossBarriers) {
  const Words result = run_body(R"(
  .shared .align 8 .b8 buffer[1024];
  cvt.u64.u32 d2, r0; mul.wide.u32 d3, r0, 8; cvt.u32.u64 r1, d3;
  mov.u32 r2, buffer; add.u32 r2, r2, r1;
  st.shared.u64 [r2], d2;
  bar.sync 0;
  mov.u32 r3, %ntid.x; sub.u32 r3, r3, 1; sub.u32 r3, r3, r0; mul.lo.u32 r3, r3, 8;
  mov.u64 d4, buffer; cvta.shared.u64 d4, d4; cvt.u64.u32 d5, r3; add.u64 d4, d4, d5;
  ld.u64 d6, [d4];
  isspacep.shared p0, d4; @!p0 mov.u64 d6, 9999;
  st.global.u64 [d1], d6;)",
                                100);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(result[i], 99 - i);
  }
}

TEST(Kernel, ReducesOverABarrier) {
  const Words result = run_body(R"(
  setp.lt.u32 p0, r0, 40;
  bar.red.popc.u32 r1, 2, p0;
  bar.red.and.pred p1, 0, p0;
  bar.red.or.pred p2, 1, !p0;
  cvt.u64.u32 d2, r1; @p1 add.u64 d2, d2, 1000; @p2 add.u64 d2, d2, 2000;
  st.global.u64 [d1], d2;)",
                                64);
  EXPECT_EQ(result[0], 2040);
  EXPECT_EQ(result[63], 2040);
}

// A block's memory is taken when it begins.
TEST(Kernel, ABlockThatHasNoMemoryIsAFault) {
  const Limits before = limits_of(0);
  // Places for blocks are kept for the next with the same limit.
  ASSERT_TRUE(set_limits(0, {.heap_bytes = before.heap_bytes, .local_bytes = 128 << 10}));
  DeviceMemory& memory = *DeviceMemory::instance();
  std::vector<std::uint64_t> taken;
  Allocation what;
  what.kind = MemoryKind::kLocal;
  for (what.size = memory.arena_size(); what.size >= 256 << 10; what.size /= 2) {
    while (const auto address = memory.allocate(what)) {
      taken.push_back(*address);
    }
  }
  const Fault fault = KernelText(kernel_of_body("st.global.u64 [d1], d1;")).fault(64);
  for (const std::uint64_t address : taken) {
    memory.free(address);
  }
  EXPECT_EQ(fault.code, FaultCode::kOutOfResources);
  EXPECT_NE(fault.report.find("kernel 'k': no memory for a block of 64 threads with 131072 bytes"),
            std::string::npos)
      << fault.report;
  EXPECT_EQ(run_body("st.global.u64 [d1], 5;", 1), Words{5});
  EXPECT_TRUE(set_limits(0, before));
}

// *where = the depth of calls in each other, which is `depth`.
TEST(Kernel, MoreLocalMemoryAllowsDeeperCalls) {
  const std::string function = R"(
.func deeper(.param .b64 where, .param .b64 left) {
  .reg .pred p; .reg .b64 d<4>;
  ld.param.b64 d0, [where]; ld.param.b64 d1, [left];
  ld.global.u64 d2, [d0]; add.u64 d2, d2, 1; st.global.u64 [d0], d2;
  setp.le.u64 p, d1, 1; @p ret;
  sub.u64 d1, d1, 1;
  call deeper, (d0, d1);
  ret;
})";
  const Limits before = limits_of(0);
  ASSERT_TRUE(
      set_limits(0, {.heap_bytes = before.heap_bytes, .local_bytes = Limits::kMostLocalBytes}));
  EXPECT_EQ(
      run_body("mov.u64 d2, 4500; st.global.u64 [d0], 0; call deeper, (d0, d2);", 1, 1, function),
      Words{4500});
  EXPECT_TRUE(set_limits(0, before));
}

TEST(Kernel, SignalsWithNamedBarriers) {
  const Words result = run_body(R"(
  setp.ge.u32 p0, r0, 32;
  @p0 bra $consumer;
  st.global.u64 [d0], 3;
  bar.arrive 1, 64;
  bra $end;
$consumer:
  bar.sync 1, 64;
  ld.global.u64 d2, [d0]; st.global.u64 [d1], d2;
$end:
)",
                                64);
  EXPECT_EQ(result[40], 3);
}

TEST(Kernel, DoesNotWaitForThreadsThatHaveExited) {
  const Words result = run_body(R"(
  setp.lt.u32 p0, r0, 17;
  @p0 exit;
  bar.sync 0;
  vote.sync.ballot.b32 r1, 1, 0xFFFFFFFF;
  cvt.u64.u32 d2, r1; st.global.u64 [d1], d2;)",
                                64);
  EXPECT_EQ(result[0], 0);
  EXPECT_EQ(result[20], 0xFFFE0000);
  EXPECT_EQ(result[40], 0xFFFFFFFF);
}

TEST(Kernel, ShufflesInEveryMode) {
  const auto shuffled = [](const std::string& instruction) {
    return run_body(instruction + "selp.u32 r9, 0x100, 0, p1; or.b32 r2, r2, r9;"
                                  "cvt.u64.u32 d2, r2; st.global.u64 [d1], d2;",
                    32);
  };
  const Words down = shuffled("shfl.sync.down.b32 r2|p1, r0, 3, 0x1F, 0xFFFFFFFF;");
  const Words up = shuffled("shfl.sync.up.b32 r2|p1, r0, 3, 0, 0xFFFFFFFF;");
  const Words butterfly = shuffled("shfl.sync.bfly.b32 r2|p1, r0, 5, 0x1F, -1;");
  const Words index =
      shuffled("shfl.sync.idx.b32 r2|p1, r0, 2, 0x181F, 0xFFFFFFFF;"); // segments of 8
  const Words old = shuffled("shfl.down.b32 r2|p1, r0, 1, 0x181F;");
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(down[i], i + 3 < 32 ? 0x100 | (i + 3) : i);
    EXPECT_EQ(up[i], i >= 3 ? 0x100 | (i - 3) : i);
    EXPECT_EQ(butterfly[i], 0x100 | (i ^ 5));
    EXPECT_EQ(index[i], 0x100 | (i / 8 * 8 + 2));
    EXPECT_EQ(old[i], i % 8 < 7 ? 0x100 | (i + 1) : i);
  }
}

TEST(Kernel, ExchangesBetweenLanesAtDifferentInstructions) {
  const Words result = run_body(R"(
  and.b32 r1, r0, 1; setp.eq.u32 p0, r1, 0;
  @p0 bra $even;
  shfl.sync.bfly.b32 r2, r0, 1, 0x1F, 0xFFFFFFFF;
  bra $end;
$even:
  shfl.sync.bfly.b32 r2, r0, 1, 0x1F, 0xFFFFFFFF;
  add.u32 r2, r2, 100;
$end:
  bar.warp.sync 0xFFFFFFFF;
  cvt.u64.u32 d2, r2; st.global.u64 [d1], d2;)",
                                32);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], (i ^ 1) + (i % 2 == 0 ? 100 : 0));
  }
}

TEST(Kernel, SynchronisesPartsOfAWarpByThemselves) {
  const Words result = run_body(R"(
  setp.lt.u32 p0, r0, 8;
  selp.u32 r3, 0xFF, 0xFFFFFF00, p0;
  redux.sync.add.u32 r2, r0, r3;
  cvt.u64.u32 d2, r2; st.global.u64 [d1], d2;)",
                                32);
  EXPECT_EQ(result[3], 28);
  EXPECT_EQ(result[9], 496 - 28);
}

TEST(Kernel, VotesMatchesAndElects) {
  const Words result = run_body(R"(
  and.b32 r1, r0, 3; setp.eq.u32 p0, r1, 1;
  vote.sync.any.pred p1, p0, -1; vote.sync.all.pred p2, p0, -1; vote.sync.uni.pred p3, !p0, -1;
  vote.sync.ballot.b32 r2, p0, -1;
  match.any.sync.b32 r3, r1, -1;
  match.all.sync.b32 r4|p4, r1, -1;
  match.all.sync.b64 r5|p5, d0, -1;
  redux.sync.max.s32 r6, r0, -1;
  elect.sync r7|p6, -1;
  mov.u32 r8, 0;
  @p1 or.b32 r8, r8, 1; @p2 or.b32 r8, r8, 2; @p3 or.b32 r8, r8, 4; @p4 or.b32 r8, r8, 8;
  @p5 or.b32 r8, r8, 16; @p6 or.b32 r8, r8, 32;
  xor.b32 r9, r2, 0x22222222; add.u32 r9, r9, r4; sub.u32 r9, r9, r5; sub.u32 r9, r9, 1;
  add.u32 r9, r9, r6; add.u32 r9, r9, r7;
  shl.b32 r9, r9, 8; or.b32 r8, r8, r9;
  mov.b64 d2, {r8, r3};
  st.global.u64 [d1], d2;)",
                                32);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], (0x1111111100000000 << i % 4) | 31 << 8 | 17 | (i == 0 ? 32 : 0)) << i;
  }
}

TEST(Kernel, DoesAtomicsOfEveryKindForEveryThread) {
  const Words result = run_body(R"(
  .shared .align 8 .b8 counters[16];
  mov.u32 r9, counters;
  setp.eq.u32 p0, r0, 0;
  @p0 st.shared.v2.u64 [r9], {0, 0};
  bar.sync 0;
  atom.shared.add.u32 r1, [r9], 1;
  atom.shared.inc.u32 r2, [r9+4], 9;
  atom.global.max.s64 d2, [d0], 50;
  red.global.add.u64 [d0+8], 2;
  red.relaxed.gpu.global.or.b32 [d0+16], 5;
  atom.global.add.f64 d3, [d0+24], 0d3FE0000000000000;
  atom.global.add.noftz.f16 h1, [d0+32], 0x3C00;
  atom.global.min.u32 _, [d0+36], 3;
  bar.sync 0;
  ld.shared.v2.u32 {r3, r4}, [r9]; mov.b64 d4, {r3, r4};
  @p0 st.global.u64 [d0+40], d4;)",
                                96);
  EXPECT_EQ(result[0], 50);
  EXPECT_EQ(result[1], 192);
  EXPECT_EQ(result[2], 5);
  EXPECT_EQ(result[3], std::bit_cast<std::uint64_t>(48.0));
  EXPECT_EQ(result[4], 0x5600); // 96 in f16
  EXPECT_EQ(result[5], 96 | (96ULL % 10) << 32);
}

TEST(Kernel, CountsAcrossBlocks) {
  KernelText program(kernel_of_body(R"(
  mov.u32 r1, %ctaid.x; mov.u32 r2, %nctaid.x; mov.u32 r3, %ntid.x;
  atom.global.add.u64 d2, [d0], 1;
  setp.eq.u32 p0, r0, 0; cvt.u64.u32 d3, r1;
  @p0 red.global.add.u64 [d0+8], d3;)"));
  const Words result = program.results(Words(2), 40, 50);
  EXPECT_EQ(result[0], 2000);
  EXPECT_EQ(result[1], 1225);
}

TEST(Kernel, CopiesAsynchronouslyAndFillsWithZeros) {
  const Words result = run_body(R"(
  .shared .align 16 .b8 buffer[512];
  cvt.u64.u32 d2, r0; add.u64 d2, d2, 1; st.global.u64 [d1], d2;
  mov.u32 r1, buffer; mad.lo.u32 r1, r0, 16, r1;
  st.shared.u64 [r1], -1;
  and.b32 r2, r0, 1; mul.lo.u32 r2, r2, 8;
  cp.async.ca.shared.global [r1], [d1], 8, r2;
  cp.async.commit_group; cp.async.wait_group 0;
  ld.shared.u64 d3, [r1]; st.global.u64 [d1], d3;)",
                                32);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], i % 2 == 0 ? 0 : i + 1);
  }
}

TEST(Kernel, ReadsConstantsAndInitialValues) {
  const Words result = run_body(R"(
  and.b32 r1, r0, 3; mul.wide.u32 d2, r1, 4;
  mov.u64 d3, table; add.u64 d3, d3, d2; ld.const.s32 d4, [d3];
  cvta.const.u64 d5, d3; isspacep.const p0, d5; isspacep.global p1, d5;
  @!p0 mov.u64 d4, 7777; @p1 mov.u64 d4, 8888;
  ld.global.u16 r2, [value+2]; cvt.u64.u32 d6, r2; shl.b64 d6, d6, 32; add.u64 d4, d4, d6;
  st.global.u64 [d1], d4;)",
                                8, 1,
                                ".const .align 4 .s32 table[4] = {5, -6, 7};\n"
                                ".global .align 4 .u32 value = 0x00020001;\n");
  EXPECT_EQ(result[0], 5 + (2ULL << 32));
  EXPECT_EQ(result[1], -6 + (2ULL << 32));
  EXPECT_EQ(result[3], 2ULL << 32);
}

TEST(Kernel, ReadsParametersThroughPointers) {
  const Words result = run_body("mov.b64 d2, memory; cvta.param.u64 d3, d2; ld.u64 d4, [d3];"
                                "ld.param.u64 d5, [d2]; sub.u64 d4, d4, d5; add.u64 d4, d4, 3;"
                                "st.global.u64 [d1], d4;",
                                1);
  EXPECT_EQ(result[0], 3);
}

TEST(Kernel, KnowsItsPlace) {
  LaunchShape shape;
  shape.block[0] = 8;
  shape.block[1] = 4;
  shape.block[2] = 2;
  Words memory(64);
  KernelText program(kernel_of_body(R"(
  mov.u32 r1, %tid.y; mov.u32 r2, %tid.z; mad.lo.u32 r3, r2, 4, r1; mad.lo.u32 r3, r3, 8, r0;
  mad.wide.u32 d1, r3, 8, d0;
  mov.u32 r4, %laneid; mov.u32 r5, %warpid; mad.lo.u32 r4, r5, WARP_SZ, r4;
  mov.u32 r6, %lanemask_lt; popc.b32 r6, r6; mad.lo.u32 r4, r6, 256, r4;
  cvt.u64.u32 d2, r4; st.global.u64 [d1], d2;)"));
  ASSERT_TRUE(program.run(memory, shape));
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(memory[i], i + i % 32 * 256);
  }
}

TEST(KernelFault, IsReportedForAccessesThatAGpuRefuses) {
  const auto code = [](const std::string& body) {
    return KernelText(kernel_of_body(body + "st.global.u32 [d0], r1;")).fault(32).code;
  };
  EXPECT_EQ(code("mov.u64 d2, 0; ld.global.u32 r1, [d2];"), FaultCode::kIllegalAddress);
  EXPECT_EQ(code("ld.global.u32 r1, [d0+8];"), FaultCode::kIllegalAddress);
  EXPECT_EQ(code("ld.global.u32 r1, [d0+2];"), FaultCode::kMisalignedAddress);
  EXPECT_EQ(code("ld.global.v2.u32 {r1, r2}, [d0+4];"), FaultCode::kMisalignedAddress);
  EXPECT_EQ(code(".shared .b8 s[16]; mov.u32 r1, s; st.shared.u32 [r1+16], r1;"),
            FaultCode::kIllegalAddress);
  EXPECT_EQ(code("mov.u64 d2, 1048576; st.local.u32 [d2], r1;"), FaultCode::kIllegalAddress);
  EXPECT_EQ(code("atom.global.add.u32 r1, [d0+4096], 1;"), FaultCode::kIllegalAddress);
}

TEST(KernelFault, IsReportedForWrongCallsTrapsAndDeadlocks) {
  const auto fault = [](const std::string& body, std::uint32_t threads = 32,
                        const std::string& before = {}) {
    return KernelText(kernel_of_body(body, before)).fault(threads);
  };
  EXPECT_EQ(fault("trap;").code, FaultCode::kLaunchFailed);
  EXPECT_EQ(fault("proto: .callprototype _ (); mov.u64 d2, 64; call d2, (), proto;").code,
            FaultCode::kInvalidPc);
  EXPECT_EQ(fault("call endless, ();", 1, ".func endless() { call endless, (); ret; }").code,
            FaultCode::kStackError);
  const Fault deadlock = fault("setp.lt.u32 p0, r0, 5; @p0 bra $wait; bar.sync 1, 64;\n"
                               "$wait: bar.sync 2, 64;",
                               64);
  EXPECT_NE(deadlock.report.find("barrier"), std::string::npos) << deadlock.report;
  const Fault lanes = fault("setp.lt.u32 p0, r0, 5; @p0 bra $end; bar.warp.sync -1;\n"
                            "bra $done;\n$end: bar.sync 0;\n$done:");
  EXPECT_NE(lanes.code, FaultCode::kLaunchTimeout);
}

TEST(KernelFault, DoesNotSpoilTheNextLaunch) {
  KernelText program(kernel_of_body("ld.global.u64 d2, [d0]; setp.eq.u64 p0, d2, 0; @p0 trap;"
                                    "st.global.u64 [d1], 4;"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(program.fault(128).code, FaultCode::kLaunchFailed);
    EXPECT_EQ(program.results(Words(128, 1), 128)[100], 4);
  }
}

} // namespace
} // namespace gantry::simt::exec
