// Threads that wait for barriers in shared memory: which loops are deadlocks, and which may end.
#include "simt/exec/testing/kernel_text.h"

#include <ostream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace gantry::simt::exec {
namespace {

using ::testing::HasSubstr;

/// A kernel of blocks at whose barrier nobody arrives. Block 0 runs `loop`; block 1, once it has
/// counted for a while, sets the flag that is the first word of memory.
std::string kernel_of_loop(const std::string& loop, const std::string& before = {}) {
  // Longer than it takes to be sure of a deadlock.
  constexpr unsigned kNanoseconds = 400'000'000;
  return kernel_of_body(fmt::format(R"(
  .shared .align 8 .b64 barrier, other;
  mov.u32 r1, %ctaid.x; setp.ne.u32 p0, r1, 0; @p0 bra $set;
  setp.ne.u32 p1, r0, 0; @p1 bra $made;
  mbarrier.init.shared.b64 [barrier], 33; mbarrier.init.shared.b64 [other], 33;
$made:
  bar.sync 0;
{}
  mov.u64 d2, 7; st.global.u64 [d0+8], d2;
  ret;
$set:
  mov.u64 d3, %globaltimer;
$count:
  nanosleep.u32 100; // so that block 0 has its turns, if one host thread runs both
  mov.u64 d4, %globaltimer; sub.u64 d4, d4, d3; setp.lt.u64 p2, d4, {}; @p2 bra $count;
  mov.u64 d5, 1; st.volatile.global.u64 [d0], d5;)",
                                    loop, kNanoseconds),
                        before);
}

LaunchShape two_blocks() {
  LaunchShape shape;
  shape.grid[0] = 2;
  shape.block[0] = 32;
  return shape;
}

struct Loop {
  const char* name;
  const char* text;
  const char* before = "";
};

void PrintTo(const Loop& loop, std::ostream* stream) {
  *stream << loop.name;
}

class LoopsThatEnd : public ::testing::TestWithParam<Loop> {};

TEST_P(LoopsThatEnd, AreNoDeadlocks) {
  Words memory(2);
  const auto outcome =
      KernelText(kernel_of_loop(GetParam().text, GetParam().before)).run(memory, two_blocks());
  EXPECT_TRUE(outcome) << outcome.error().report;
  EXPECT_EQ(memory[1], 7);
}

constexpr Loop kLoopsThatEnd[] = {
    {"FlagOfAnotherBlock", R"(
$wait:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0;
  ld.volatile.global.u64 d6, [d0]; setp.eq.u64 p4, d6, 0; @p4 bra $wait;)"},
    {"EitherOfFlagAndBarrier", R"(
$wait:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0; @p3 bra $done;
  ld.volatile.global.u64 d6, [d0]; setp.eq.u64 p4, d6, 0; @p4 bra $wait;
$done:)"},
    {"FlagAroundTheLoop", R"(
$outer:
  ld.volatile.global.u64 d6, [d0]; setp.ne.u64 p4, d6, 0; @p4 bra $done;
  mov.u32 r9, 0;
$wait:
  add.u32 r9, r9, 1; setp.lt.u32 p5, r9, 3;
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0; @p3 bra $done;
  @p5 bra $wait; bra $outer;
$done:)"},
    {"Clock", R"(
  mov.u64 d7, %globaltimer;
$wait:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0; @p3 bra $done;
  mov.u64 d8, %globaltimer; sub.u64 d8, d8, d7; setp.lt.u64 p4, d8, 300000000; @p4 bra $wait;
$done:)"},
    {"TestsAlone", R"(
$wait:
  mbarrier.test_wait.parity.shared.b64 p3, [barrier], 0; @p3 bra $done;
  ld.volatile.global.u64 d6, [d0]; setp.eq.u64 p4, d6, 0; @p4 bra $wait;
$done:)"},
    {"AnyOfTwoBarriers", R"(
$outer:
  ld.volatile.global.u64 d6, [d0]; setp.ne.u64 p4, d6, 0; @p4 bra $done;
$wait:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0;
  mbarrier.try_wait.parity.shared.b64 p4, [other], 1; // is over
  or.pred p3, p3, p4; @!p3 bra $wait;
  bra $outer;
$done:)"},
    {"InAFunction", R"(
  @!p1 mbarrier.init.shared.b64 [common], 33;
  bar.sync 0;
$wait:
  call.uni looks_once, (); ld.volatile.global.u64 d6, [d0]; setp.eq.u64 p4, d6, 0; @p4 bra $wait;)",
     R"(
.shared .align 8 .b64 common;
.func looks_once() {
  .reg .pred p;
  mbarrier.try_wait.parity.shared.b64 p, [common], 0;
  ret;
})"},
};

INSTANTIATE_TEST_SUITE_P(Waiting, LoopsThatEnd, ::testing::ValuesIn(kLoopsThatEnd),
                         [](const auto& info) { return std::string(info.param.name); });

class LoopsForEver : public ::testing::TestWithParam<Loop> {};

bool is_interpreted() {
  const char* mode = std::getenv("GANTRY_SIMT_MODE");
  return mode != nullptr && std::string(mode) == "interpret";
}

TEST_P(LoopsForEver, AreDeadlocks) {
  if (GetParam().name == std::string("OfSomeLanes") && is_interpreted()) {
    GTEST_SKIP() << "evaluated lanes that wait apart from others of their warp merely loop";
  }
  Words memory(2);
  const auto outcome =
      KernelText(kernel_of_loop(GetParam().text, GetParam().before)).run(memory, two_blocks());
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().report, HasSubstr("no thread of block (0,0,0) can go on"));
  EXPECT_THAT(outcome.error().report, HasSubstr("waits for the mbarrier"));
}

constexpr Loop kLoopsForEver[] = {
    {"OneBarrier", R"(
$wait:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0; @!p3 bra $wait;)"},
    {"InTheMiddle", R"(
$wait:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0; @p3 bra $done; bra $wait;
$done:)"},
    {"InALoopThatLooksAtMemory", R"(
$outer:
  ld.volatile.global.u64 d6, [d0]; setp.ne.u64 p4, d6, 0; @p4 bra $done;
$wait:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0; @!p3 bra $wait;
  bra $outer;
$done:)"},
    {"BothOfTwoBarriers", R"(
$wait:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0;
  mbarrier.try_wait.parity.shared.b64 p4, [other], 0;
  and.pred p3, p3, p4; @!p3 bra $wait;)"},
    {"OfUnoptimisedCode", R"(
  .local .align 4 .b8 done[4];
  mov.u32 r2, 0; st.local.u32 [done], r2;
$wait:
  ld.local.u32 r3, [done]; and.b32 r3, r3, 1; setp.eq.u32 p4, r3, 1; @p4 bra $done;
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0;
  selp.u32 r4, 1, 0, p3; st.local.u32 [done], r4; bra $wait;
$done:)"},
    {"InAFunction", "  call.uni waits, ();", R"(
.shared .align 8 .b64 common;
.func waits() {
  .reg .pred p; .reg .b32 r;
  mov.u32 r, %tid.x; setp.eq.u32 p, r, 0; @p mbarrier.init.shared.b64 [common], 40;
  bar.sync 0;
$again:
  mbarrier.try_wait.parity.shared.b64 p, [common], 0; @!p bra $again;
  ret;
})"},
    {"OfSomeLanes", R"(
  and.b32 r2, r0, 1; setp.ne.u32 p5, r2, 0; @p5 bra $odd;
$even:
  mbarrier.try_wait.parity.shared.b64 p3, [barrier], 0; @!p3 bra $even;
  bra $done;
$odd:
  mbarrier.try_wait.parity.shared.b64 p3, [other], 0; @!p3 bra $odd;
$done:)"},
};

INSTANTIATE_TEST_SUITE_P(Waiting, LoopsForEver, ::testing::ValuesIn(kLoopsForEver),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace gantry::simt::exec
