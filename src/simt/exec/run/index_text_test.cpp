// Indices that are affine over the lanes of a warp in one case and not in another: chosen for all
// lanes together, quotients and remainders.
#include "simt/exec/testing/kernel_text.h"

#include <fmt/format.h>

namespace gantry::simt::exec {
namespace {

constexpr std::uint32_t kThreads = 64;

/// table[i] = 3 i, in shared and in global memory; memory[0] is `first` for all lanes. Stores what
/// `index`, which gives r9, finds in either.
Words looked_up(const std::string& index, std::uint64_t first) {
  const std::string kernel = kernel_of_body(fmt::format(R"(
  .shared .align 4 .b32 shared_table[128];
  ld.global.u64 d9, [d0];
  mov.u32 r1, shared_table; mad.lo.u32 r2, r0, 4, r1; mul.lo.u32 r3, r0, 3; st.shared.u32 [r2], r3;
  st.shared.u32 [r2+256], r3;
  bar.sync 0;
  cvt.u64.u32 d2, r3; st.global.u64 [d1+512], d2; bar.sync 0;
  cvt.u32.u64 r10, d9;
{}
  mad.lo.u32 r4, r9, 4, r1; ld.shared.u32 r5, [r4];
  mad.wide.u32 d3, r9, 8, d0; ld.global.u64 d4, [d3+512];
  cvt.u64.u32 d5, r5; shl.b64 d5, d5, 32; or.b64 d5, d5, d4; st.global.u64 [d1], d5;)",
                                                        index));
  Words memory(std::size_t{3} * kThreads);
  memory[0] = first;
  return KernelText(kernel).results(memory, kThreads);
}

std::uint64_t found_at(std::uint64_t index) {
  return 3 * index << 32 | 3 * index;
}

TEST(Index, ThatIsSelectedForAllLanes) {
  const std::string index = "mul.lo.u32 r6, r0, 7; and.b32 r6, r6, 63; setp.ne.u32 p0, r10, 0; "
                            "selp.u32 r9, r0, r6, p0;";
  const Words own = looked_up(index, 1);
  const Words others = looked_up(index, 0);
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(own[i], found_at(i));
    EXPECT_EQ(others[i], found_at(i * 7 % 64));
  }
}

TEST(Index, ThatComesFromOneOfTwoWays) {
  const std::string index = R"(
  setp.ne.u32 p0, r10, 0;
  @p0 bra $own;
  mul.lo.u32 r6, r0, r10; mad.lo.u32 r6, r0, 7, r6; and.b32 r9, r6, 63;
  bra $chosen;
$own:
  mov.u32 r9, r0;
$chosen:)";
  const Words own = looked_up(index, 1);
  const Words others = looked_up(index, 0);
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(own[i], found_at(i));
    EXPECT_EQ(others[i], found_at(i * 7 % 64));
  }
}

TEST(Index, ThatIsTheSameForAllOnOneOfTwoWays) {
  const std::string index = R"(
  mov.u32 r9, 5;
  setp.ne.u32 p0, r10, 0;
  @!p0 bra $chosen;
  sub.u32 r9, 63, r0; sub.u32 r9, 63, r9;
$chosen:)";
  const Words own = looked_up(index, 1);
  const Words same = looked_up(index, 0);
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(own[i], found_at(i));
    EXPECT_EQ(same[i], found_at(5));
  }
}

TEST(Index, ThatIsChosenAnewInALoop) {
  // Starts as the lane's number, and goes on in steps that are the same for all, or not.
  const std::string index = R"(
  mov.u32 r9, r0; mov.u32 r7, 0;
$next:
  setp.eq.u32 p0, r7, r10; @p0 bra $done;
  add.u32 r9, r9, 3; and.b32 r8, r7, 1; setp.eq.u32 p1, r8, 1; @p1 and.b32 r9, r9, 63;
  add.u32 r7, r7, 1; bra $next;
$done:
  and.b32 r9, r9, 63;)";
  for (const std::uint64_t steps : {0U, 1U, 2U, 5U}) {
    const Words result = looked_up(index, steps);
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      std::uint64_t expected = i;
      for (std::uint64_t step = 0; step < steps; ++step) {
        expected += 3;
        expected = step % 2 == 1 ? expected % 64 : expected;
      }
      EXPECT_EQ(result[i], found_at(expected % 64)) << steps;
    }
  }
}

TEST(Index, ThatIsAQuotientOrARemainder) {
  for (const std::uint64_t by : {1U, 2U, 5U, 31U, 32U, 33U, 64U, 100U}) {
    const Words quotients = looked_up("div.u32 r9, r0, r10;", by);
    const Words remainders = looked_up("rem.u32 r9, r0, r10;", by);
    const Words shifted = looked_up("add.u32 r6, r0, 17; rem.s32 r7, r6, r10; div.s32 r8, r6, r10; "
                                    "mad.lo.u32 r6, r8, r10, r7; sub.u32 r9, r6, 17;",
                                    by);
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      EXPECT_EQ(quotients[i], found_at(i / by)) << by;
      EXPECT_EQ(remainders[i], found_at(i % by)) << by;
      EXPECT_EQ(shifted[i], found_at(i)) << by;
    }
  }
}

TEST(Index, ThatIsSignExtendedByShifts) {
  // From 2^31 - 20 on, the lanes' numbers become negative.
  for (const std::uint64_t offset : {std::uint64_t{0}, (std::uint64_t{1} << 31) - 20}) {
    const Words result = looked_up(R"(
  cvt.u64.u32 d6, r0; add.u64 d6, d6, d9; shl.b64 d6, d6, 32; shr.s64 d6, d6, 32;
  sub.u64 d6, d6, d9; and.b64 d6, d6, 63; cvt.u32.u64 r9, d6;)",
                                   offset);
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      EXPECT_EQ(result[i], found_at(i));
    }
    const Words wide = KernelText(kernel_of_body(R"(
  ld.global.u64 d9, [d0]; bar.sync 0;
  cvt.u64.u32 d6, r0; add.u64 d6, d6, d9; shl.b64 d6, d6, 32; add.u64 d6, d6, 4294967296;
  shr.s64 d6, d6, 32; st.global.u64 [d1], d6;)"))
                           .results({offset, 0}, 2);
    EXPECT_EQ(wide[1], static_cast<std::uint64_t>(static_cast<std::int32_t>(offset + 2)));
  }
}

TEST(Index, ThatIsAQuotientByAShortWay) {
  // As LLVM divides 64 bits for GPUs: as 32 where that is enough.
  const std::string division = R"(
  ld.global.u64 d8, [d0]; ld.global.u64 d9, [d0+8]; bar.sync 0;
  cvt.u64.u32 d2, r0; add.u64 d2, d2, d8;
  or.b64 d3, d2, d9; and.b64 d3, d3, -4294967296; setp.ne.u64 p0, d3, 0;
  @p0 bra $long;
  cvt.u32.u64 r1, d9; cvt.u32.u64 r2, d2; div.u32 r3, r2, r1; cvt.u64.u32 d4, r3;
  bra $done;
$long:
  div.s64 d4, d2, d9;
$done:
  st.global.u64 [d1], d4;)";
  for (const std::uint64_t offset : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 20,
                                     (std::uint64_t{1} << 40), ~std::uint64_t{0} - 40}) {
    for (const std::uint64_t by : {std::uint64_t{7}, std::uint64_t{64}, std::uint64_t{1} << 33}) {
      Words memory(kThreads);
      memory[0] = offset;
      memory[1] = by;
      const Words result = KernelText(kernel_of_body(division)).results(memory, kThreads);
      for (std::uint64_t i = 0; i < kThreads; ++i) {
        EXPECT_EQ(static_cast<std::int64_t>(result[i]),
                  static_cast<std::int64_t>(offset + i) / static_cast<std::int64_t>(by));
      }
    }
  }
}

/// What an instruction makes of the lane's number plus an offset, and a divisor.
Words divided(const std::string& operation, std::uint64_t offset, std::uint64_t by) {
  Words memory(kThreads + 2);
  memory[0] = offset;
  memory[1] = by;
  return KernelText(kernel_of_body(fmt::format(R"(
  ld.global.u64 d8, [d0]; ld.global.u64 d9, [d0+8]; bar.sync 0;
  cvt.u64.u32 d2, r0; add.u64 d2, d2, d8;
  {} d3, d2, d9;
  st.global.u64 [d1], d3;)",
                                               operation)))
      .results(memory, kThreads);
}

TEST(Index, DividesWhatWrapsAroundOrIsNegative) {
  constexpr auto kMin = static_cast<std::uint64_t>(INT64_MIN);
  for (const std::uint64_t offset :
       {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0} - 20, kMin - 20, kMin, kMin + 3}) {
    for (const std::uint64_t by : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{40},
                                   ~std::uint64_t{0}, ~std::uint64_t{0} - 6, kMin, kMin - 1}) {
      const Words udiv = divided("div.u64", offset, by), urem = divided("rem.u64", offset, by);
      const Words sdiv = divided("div.s64", offset, by), srem = divided("rem.s64", offset, by);
      for (std::uint64_t i = 0; i < kThreads; ++i) {
        const std::uint64_t number = offset + i;
        EXPECT_EQ(udiv[i], number / by) << offset << " + " << i << " by " << by;
        EXPECT_EQ(urem[i], number % by) << offset << " + " << i << " by " << by;
        const auto a = static_cast<std::int64_t>(number), b = static_cast<std::int64_t>(by);
        EXPECT_EQ(sdiv[i], b == -1 ? 0 - number : static_cast<std::uint64_t>(a / b))
            << a << " by " << b;
        EXPECT_EQ(srem[i], b == -1 ? 0 : static_cast<std::uint64_t>(a % b)) << a << " by " << b;
      }
    }
  }
}

} // namespace
} // namespace gantry::simt::exec
