// What gfx11 has that the other processors have not: waves of 32 lanes, two operations at once,
// null, and what its code says to the hardware.
#include "operand.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>

namespace gantry::simt::amdgcn {
namespace {

class Gfx11 : public testing::Test {
protected:
  explicit Gfx11(unsigned lanes = 32) : machine_(*find_processor("gfx1100"), lanes) {
    scramble(wave_, random_);
    wave_.set_pair(scalar::kExec, ~LaneMask{0});
  }

  Next step(const std::string& line) {
    const std::vector<Words> words = assemble("gfx1100", {line});
    EXPECT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    size_ = words[0].size();
    before_ = std::make_unique<Wave>(wave_);
    return machine_.step(0);
  }
  void run(const std::string& line) {
    ASSERT_EQ(step(line), Next::kOn) << line << ": " << machine_.report();
    EXPECT_EQ(machine_.position(), size_) << line;
  }
  std::string report(const std::string& line) {
    EXPECT_EQ(step(line), Next::kFault) << line;
    return machine_.report();
  }
  /// That nothing has changed but what the test has put into `before_`.
  void expect_before(const std::string& line) {
    for (unsigned row = 0; row < vector::kRegisters; ++row) {
      EXPECT_TRUE(std::equal(&wave_.v[row][0], &wave_.v[row][32], &before_->v[row][0]))
          << line << ", v" << row;
    }
    for (unsigned i = 0; i < scalar::kNowhere; ++i) {
      EXPECT_EQ(wave_.s[i], before_->s[i]) << line << ", scalar register " << i;
    }
  }
  static float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }

  Machine machine_;
  Wave& wave_ = machine_.wave();
  std::unique_ptr<Wave> before_;
  std::mt19937_64 random_{1};
  std::size_t size_ = 0;
};

TEST_F(Gfx11, TwoOperationsReadBeforeEitherWrites) {
  const std::string line = "v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2";
  wave_.set_pair(scalar::kExec, 0xffff0001);
  run(line);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lane == 0 || lane >= 16) {
      std::swap(before_->v[2][lane], before_->v[3][lane]);
    }
  }
  expect_before(line);
}

TEST_F(Gfx11, TwoOperationsShareALiteral) {
  for (unsigned row = 2; row < 8; ++row) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      wave_.v[row][lane] = std::bit_cast<std::uint32_t>(static_cast<float>(row * 32 + lane));
    }
  }
  const std::string line =
      "v_dual_fmaak_f32 v2, v4, v7, 0x40400000 :: v_dual_add_f32 v5, 0x40400000, v2";
  run(line);
  EXPECT_EQ(size_, 3U);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(number(wave_.v[2][lane]),
              number(before_->v[4][lane]) * number(before_->v[7][lane]) + 3.0F);
    EXPECT_EQ(number(wave_.v[5][lane]), number(before_->v[2][lane]) + 3.0F);
  }
}

TEST_F(Gfx11, EachOfTwoOperations) {
  struct Case {
    const char* text; ///< of v6, v2 and v5 as result and sources
    std::uint32_t (*value)(std::uint32_t result, std::uint32_t a, std::uint32_t b, bool bit);
    bool is_second_alone = false;
  };
  static constexpr auto kBits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  static constexpr auto kNumber = [](std::uint32_t x) { return std::bit_cast<float>(x); };
  using Bits = std::uint32_t;
  static constexpr Case kCases[] = {
      {"v_dual_fmac_f32 {}, v2, v5",
       [](Bits r, Bits a, Bits b, bool) { return kBits(kNumber(a) * kNumber(b) + kNumber(r)); }},
      {"v_dual_mul_f32 {}, v2, v5",
       [](Bits, Bits a, Bits b, bool) { return kBits(kNumber(a) * kNumber(b)); }},
      {"v_dual_add_f32 {}, v2, v5",
       [](Bits, Bits a, Bits b, bool) { return kBits(kNumber(a) + kNumber(b)); }},
      {"v_dual_sub_f32 {}, v2, v5",
       [](Bits, Bits a, Bits b, bool) { return kBits(kNumber(a) - kNumber(b)); }},
      {"v_dual_subrev_f32 {}, v2, v5",
       [](Bits, Bits a, Bits b, bool) { return kBits(kNumber(b) - kNumber(a)); }},
      {"v_dual_max_f32 {}, v2, v5",
       [](Bits, Bits a, Bits b, bool) { return kBits(std::max(kNumber(a), kNumber(b))); }},
      {"v_dual_min_f32 {}, v2, v5",
       [](Bits, Bits a, Bits b, bool) { return kBits(std::min(kNumber(a), kNumber(b))); }},
      {"v_dual_mul_dx9_zero_f32 {}, v2, v5",
       [](Bits, Bits a, Bits b, bool) { return kBits(kNumber(a) * kNumber(b)); }},
      {"v_dual_fmamk_f32 {}, v2, 0x40000000, v5",
       [](Bits, Bits a, Bits b, bool) { return kBits(kNumber(a) * 2 + kNumber(b)); }},
      {"v_dual_cndmask_b32 {}, v2, v5", [](Bits, Bits a, Bits b, bool bit) { return bit ? b : a; }},
      {"v_dual_mov_b32 {}, v2", [](Bits, Bits a, Bits, bool) { return a; }},
      {"v_dual_add_nc_u32 {}, v2, v5", [](Bits, Bits a, Bits b, bool) { return a + b; }, true},
      {"v_dual_lshlrev_b32 {}, v2, v5", [](Bits, Bits a, Bits b, bool) { return b << (a % 32); },
       true},
      {"v_dual_and_b32 {}, v2, v5", [](Bits, Bits a, Bits b, bool) { return a & b; }, true},
  };
  for (const Case& it : kCases) {
    for (const bool is_second : {false, true}) {
      if (it.is_second_alone && !is_second) {
        continue;
      }
      for (const unsigned row : {2U, 5U, 6U}) { // small integers, so that sums are exact
        for (unsigned lane = 0; lane < 32; ++lane) {
          wave_.v[row][lane] = kBits(static_cast<float>(1 + random_() % 100));
        }
      }
      wave_.s[scalar::kVcc] = static_cast<std::uint32_t>(random_());
      const std::string one = fmt::format(fmt::runtime(it.text), "v6");
      const std::string other = "v_dual_mov_b32 v9, v13";
      const std::string line = is_second ? other + " :: " + one : one + " :: " + other;
      run(line);
      for (unsigned lane = 0; lane < 32; ++lane) {
        before_->v[9][lane] = before_->v[13][lane];
        before_->v[6][lane] =
            it.value(before_->v[6][lane], before_->v[2][lane], before_->v[5][lane],
                     ((before_->s[scalar::kVcc] >> lane) & 1) != 0);
      }
      expect_before(line);
    }
  }
}

TEST_F(Gfx11, TwoOperationsInAModeWithoutDenormals) {
  run("s_denorm_mode 0xc");
  std::ranges::fill(wave_.v[2], 0x00000123U);
  std::ranges::fill(wave_.v[3], 0x00000123U);
  run("v_dual_mul_f32 v6, 1.0, v2 :: v_dual_add_f32 v9, 0, v3");
  EXPECT_EQ(wave_.v[6][3], 0U);
  EXPECT_EQ(wave_.v[9][3], 0U);
  run("s_denorm_mode 0xf");
  run("v_dual_mul_f32 v6, 1.0, v2 :: v_dual_add_f32 v9, 0, v3");
  EXPECT_EQ(wave_.v[6][3], 0x123U);
  EXPECT_EQ(wave_.v[9][3], 0x123U);
  EXPECT_NE(report("s_denorm_mode 0x3").find("without denormal"), std::string::npos);
  EXPECT_NE(report("s_round_mode 0x1").find("rounding"), std::string::npos);
  run("s_round_mode 0x0");
}

TEST_F(Gfx11, MasksAreOneRegister) {
  std::ranges::fill(wave_.v[2], 7U);
  run("v_cmp_eq_u32_e64 s20, 7, v2");
  before_->s[20] = ~0U;
  expect_before("v_cmp to s20");
  run("v_cmp_eq_u32_e32 vcc_lo, 8, v2");
  before_->s[scalar::kVcc] = 0;
  expect_before("v_cmp to VCC");
  run("v_add_co_u32 v3, s21, -1, v2");
  before_->s[21] = ~0U;
  std::fill_n(before_->v[3], 32, 6U);
  expect_before("v_add_co_u32");
  wave_.s[scalar::kExec] = 0x10;
  run("v_cmpx_eq_u32_e32 7, v2");
  expect_before("v_cmpx"); // EXEC alone, and one lane is active before
  run("v_cmpx_ne_u32_e64 7, v2");
  before_->s[scalar::kExec] = 0;
  expect_before("v_cmpx_e64");
}

TEST_F(Gfx11, BranchesAskForOneRegister) {
  wave_.set_pair(scalar::kVcc, std::uint64_t{5} << 32);
  wave_.set_pair(scalar::kExec, std::uint64_t{5} << 32);
  const auto target = [&](const std::string& line) {
    const std::vector<Words> words = assemble("gfx1100", {line, "s_nop 0", "s_nop 0"});
    Words code = words[0];
    code.insert(code.end(), {words[1][0], words[2][0]});
    machine_.load(code);
    EXPECT_EQ(machine_.step(0), Next::kOn) << machine_.report();
    return machine_.position();
  };
  EXPECT_EQ(target("s_cbranch_vccz 1"), 2U);
  EXPECT_EQ(target("s_cbranch_vccnz 1"), 1U);
  EXPECT_EQ(target("s_cbranch_execz 1"), 2U);
  EXPECT_EQ(target("s_cbranch_execnz 1"), 1U);
}

TEST_F(Gfx11, NullIsZeroAndWhatIsWrittenIsGone) {
  run("s_mov_b32 null, 5");
  expect_before("s_mov_b32 to null");
  run("s_mov_b64 null, s[4:5]");
  expect_before("s_mov_b64 to null");
  run("s_mov_b64 s[6:7], null");
  before_->set_pair(6, 0);
  expect_before("s_mov_b64 of null");
  run("v_mov_b32_e32 v3, null");
  std::fill_n(before_->v[3], 32, 0U);
  expect_before("v_mov_b32 of null");
  run("s_add_u32 m0, m0, 1");
  before_->s[scalar::kM0] += 1;
  before_->s[scalar::kScc] = before_->s[scalar::kM0] == 0 ? 1 : 0;
  expect_before("s_add_u32 of m0");
}

TEST_F(Gfx11, LanesHaveFiveBits) {
  for (const unsigned lane : {0U, 5U, 31U, 32U, 40U}) {
    wave_.s[4] = lane;
    run("v_readlane_b32 s9, v3, s4");
    EXPECT_EQ(wave_.s[9], wave_.v[3][lane % 32]);
    run("v_writelane_b32 v3, 9, s4");
    EXPECT_EQ(wave_.v[3][lane % 32], 9U);
  }
  wave_.set_pair(scalar::kExec, std::uint64_t{1} << 40); // no lane
  run("v_readfirstlane_b32 s9, v3");
  EXPECT_EQ(wave_.s[9], wave_.v[3][0]);
}

TEST_F(Gfx11, RowsAreShared) {
  run("v_mov_b32_dpp v3, v2 row_xmask:5 row_mask:0xf bank_mask:0xf");
  run("v_mov_b32_dpp v4, v2 row_share:9 row_mask:0xf bank_mask:0xf");
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(wave_.v[3][lane], wave_.v[2][lane ^ 5]);
    EXPECT_EQ(wave_.v[4][lane], wave_.v[2][lane / 16 * 16 + 9]);
  }
  wave_.s[scalar::kExec] = 1;
  for (const bool reads : {false, true}) {
    const std::uint32_t old = wave_.v[5][0];
    run(fmt::format("v_mov_b32_dpp v5, v2 row_xmask:1 row_mask:0xf bank_mask:0xf{}",
                    reads ? " fi:1" : ""));
    EXPECT_EQ(wave_.v[5][0], reads ? wave_.v[2][1] : old);
  }
}

TEST_F(Gfx11, WhatDoesNothingChangesNothing) {
  for (const char* const line :
       {"s_waitcnt_vscnt null, 0x0", "s_waitcnt_vmcnt null, 0x0", "s_waitcnt_expcnt null, 0x0",
        "s_waitcnt_lgkmcnt null, 0x0", "s_waitcnt_depctr 0xfffd", "s_wait_idle",
        "s_delay_alu instid0(VALU_DEP_1)", "s_clause 0x1", "s_set_inst_prefetch_distance 0x3",
        "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", "buffer_gl0_inv", "buffer_gl1_inv", "s_gl1_inv",
        "s_dcache_inv", "s_waitcnt vmcnt(0)"}) {
    run(line);
    expect_before(line);
  }
}

TEST_F(Gfx11, WhatIsNotThereIsRefused) {
  EXPECT_NE(report("s_sendmsg sendmsg(MSG_INTERRUPT)").find("a message"), std::string::npos);
  EXPECT_NE(report("s_sethalt 5").find("halts"), std::string::npos);
  EXPECT_NE(report("s_code_end").find("behind code"), std::string::npos);
  EXPECT_NE(report("s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)").find("clock"),
            std::string::npos);
  EXPECT_NE(report("s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_TMA)").find("clock"),
            std::string::npos);
  EXPECT_NE(report("v_permlane16_b32 v0, v1, s2, s3").find("v_permlane16_b32"), std::string::npos);
  EXPECT_NE(report("buffer_load_b32 v0, off, s[0:3], 0").find("a buffer"), std::string::npos);
}

TEST_F(Gfx11, ModifiersSayWhichElementsAreSigned) {
  for (const unsigned bits : {4U, 8U}) {
    for (unsigned round = 0; round < 8; ++round) {
      const bool is_signed[] = {(round & 1) != 0, (round & 2) != 0};
      const bool clamps = (round & 4) != 0;
      for (unsigned lane = 0; lane < 32; ++lane) { // sums beyond the bounds as well
        wave_.v[4][lane] = 0x7fffff00 + static_cast<std::uint32_t>(random_() % 0x200);
      }
      const std::string line =
          fmt::format("v_dot{}_i32_iu{} v9, v2, v3, v4 neg_lo:[{:d},{:d},0]{}", 32 / bits, bits,
                      is_signed[0], is_signed[1], clamps ? " clamp" : "");
      run(line);
      const auto element = [&](std::uint32_t x, unsigned number, bool has_sign) {
        const auto value = static_cast<std::int64_t>(x >> (bits * number)) % (1 << bits);
        return has_sign && value >= 1 << (bits - 1) ? value - (1 << bits) : value;
      };
      for (unsigned lane = 0; lane < 32; ++lane) {
        std::int64_t sum = static_cast<std::int32_t>(wave_.v[4][lane]);
        for (unsigned i = 0; i < 32 / bits; ++i) {
          sum += element(wave_.v[2][lane], i, is_signed[0]) *
                 element(wave_.v[3][lane], i, is_signed[1]);
        }
        before_->v[9][lane] = static_cast<std::uint32_t>(
            clamps ? std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
      }
      expect_before(line);
    }
  }
}

TEST_F(Gfx11, ClocksGoOn) {
  std::uint64_t last = 0;
  for (unsigned i = 0; i < 3; ++i) {
    run("s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)");
    EXPECT_GE(wave_.pair(6), last);
    last = wave_.pair(6);
    before_->set_pair(6, last);
    expect_before("clock");
  }
  run("s_getreg_b32 s4, hwreg(HW_REG_SHADER_CYCLES, 0, 20)");
  EXPECT_LT(wave_.s[4], 1U << 20);
}

class Gfx11OfWave64 : public Gfx11 {
protected:
  Gfx11OfWave64() : Gfx11(64) {}
};

TEST_F(Gfx11OfWave64, LanesTakeFromTheirHalf) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave_.v[3][lane] = 4 * (lane + 37);
  }
  run("ds_bpermute_b32 v5, v3, v2");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(wave_.v[5][lane], wave_.v[2][lane / 32 * 32 + (lane + 37) % 32]) << lane;
  }
}

TEST_F(Gfx11OfWave64, HasNoTwoOperations) {
  EXPECT_NE(report("v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2").find("32 lanes"),
            std::string::npos);
}

} // namespace
} // namespace gantry::simt::amdgcn
