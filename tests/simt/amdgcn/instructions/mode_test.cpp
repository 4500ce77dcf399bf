// What the mode register changes: denormal floats, and which registers operands are.
#include "operand.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

class Mode : public testing::Test {
protected:
  explicit Mode(const char* processor = "gfx906") : machine_(*find_processor(processor)) {
    scramble(wave_, random_);
    wave_.set_pair(scalar::kExec, ~LaneMask{0});
  }

  /// Runs the lines one after the other.
  void run(const std::vector<std::string>& lines) {
    const std::vector<Words> words = assemble(machine_.processor().name, lines);
    Words code;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_FALSE(words[i].empty()) << lines[i];
      code.insert(code.end(), words[i].begin(), words[i].end());
    }
    machine_.load(code);
    ASSERT_EQ(machine_.run(0, code.size()), Next::kOn) << lines[0] << ": " << machine_.report();
  }
  std::string report(const std::string& line) {
    machine_.load(assemble(machine_.processor().name, {line})[0]);
    EXPECT_EQ(machine_.step(0), Next::kFault) << line;
    return machine_.report();
  }
  /// The first lane's result of an instruction whose result is v9.
  std::uint32_t result(const std::string& line) {
    run({line});
    return wave_.v[9][0];
  }

  Machine machine_;
  Wave& wave_ = machine_.wave();
  std::mt19937_64 random_{5};
};

TEST_F(Mode, IsReadAndWritten) {
  run({"s_getreg_b32 s4, hwreg(HW_REG_MODE)"});
  EXPECT_EQ(wave_.s[4], 0x3f0U); // to nearest, all denormal numbers, DX10's clamp, IEEE's NaNs
  run({"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 2", "s_getreg_b32 s4, hwreg(HW_REG_MODE)"});
  EXPECT_EQ(wave_.s[4], 0x3e0U);
  wave_.s[5] = 0xffff'fffd; // of which two bits are taken
  run({"s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s5", "s_getreg_b32 s4, hwreg(HW_REG_MODE, 4, 3)"});
  EXPECT_EQ(wave_.s[4], 0b101U);
}

TEST_F(Mode, WhatIsNotThereIsRefused) {
  EXPECT_NE(report("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1").find("rounding"),
            std::string::npos);
  EXPECT_NE(report("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 0").find("denormal"),
            std::string::npos);
  EXPECT_NE(report("s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 0").find("other than MODE"),
            std::string::npos);
  EXPECT_NE(report("s_getreg_b32 s0, hwreg(HW_REG_HW_ID)").find("other than MODE"),
            std::string::npos);
  EXPECT_EQ(wave_.mode, mode::kDefault);
}

TEST_F(Mode, DenormalFloats) {
  constexpr std::uint32_t kDenormal = 0x80000123;
  constexpr std::uint32_t kZero = 0x80000000;
  constexpr std::uint32_t kSmall = 0x00800000; // the smallest normal number
  constexpr std::uint32_t kHalf = 0x3f000000;
  for (const unsigned kept : {3U, 2U, 1U, 0U}) { // bit 0: in results; bit 1: in sources
    run({fmt::format("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), {}", kept)});
    const bool in_sources = (kept & 2) != 0;
    const bool in_results = (kept & 1) != 0;
    const std::uint32_t passed = in_sources && in_results ? kDenormal : kZero;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      wave_.v[2][lane] = kDenormal;
      wave_.v[3][lane] = kSmall;
      wave_.v[4][lane] = kHalf;
      wave_.v[5][lane] = 0;
    }
    wave_.s[10] = kDenormal;
    SCOPED_TRACE(kept);
    EXPECT_EQ(result("v_mul_f32_e32 v9, 1.0, v2"), passed);
    EXPECT_EQ(result("v_mul_f32_e64 v9, -v2, -1.0"), passed);
    EXPECT_EQ(result("v_mul_f32_e64 v9, 1.0, s10"), passed);
    EXPECT_EQ(result("v_add_f32_e64 v9, -|v2|, -v5"), passed);
    EXPECT_EQ(result("v_mul_f32_e32 v9, v3, v4"), in_results ? 0x00400000U : 0U);
    EXPECT_EQ(result("v_mul_f32_dpp v9, v3, v4 row_mirror row_mask:0xf bank_mask:0xf"),
              in_results ? 0x00400000U : 0U);
    EXPECT_EQ(result("v_fma_f32 v9, v3, v4, -v3"), in_results ? 0x80400000U : kZero);
    wave_.v[9][0] = kDenormal;
    EXPECT_EQ(result("v_fmac_f32_e32 v9, v5, v4"), in_sources && in_results ? kDenormal
                                                   : in_sources             ? kZero
                                                                            : 0U);
    EXPECT_EQ(result("v_cvt_f16_f32_e32 v9, v2"), 0x8000U);
    run({"v_cvt_f64_f32_e32 v[12:13], v2"});
    EXPECT_EQ(wave_.v[13][0] << 1 != 0, in_sources);
    run({"v_cmp_lt_f32_e32 vcc, v2, v5"});
    EXPECT_EQ(wave_.pair(scalar::kVcc), in_sources ? ~LaneMask{0} : 0);
    // What is no arithmetic of floats.
    EXPECT_EQ(result("v_mov_b32_e32 v9, v2"), kDenormal);
    EXPECT_EQ(result("v_min_f32_e32 v9, v5, v2"), kDenormal);
    EXPECT_EQ(result("v_cvt_f16_u16_e32 v9, 1.0"), 0x7380U);
    run({"v_cmp_class_f32_e64 vcc, v2, 16"});
    EXPECT_EQ(wave_.pair(scalar::kVcc), ~LaneMask{0});
    // Halves and doubles keep theirs.
    wave_.v[6][0] = 0x8001;
    EXPECT_EQ(result("v_mul_f16_e32 v9, 1.0, v6"), 0x8001U);
    run({"v_mov_b32_e32 v12, 1", "v_mov_b32_e32 v13, 0", "v_add_f64 v[12:13], v[12:13], v[12:13]"});
    EXPECT_EQ(wave_.v[12][0], 2U);
    if (kept != 3) {
      EXPECT_NE(report("v_fma_mix_f32 v0, v1, v2, v3").find("without denormal"), std::string::npos);
    }
  }
}

TEST_F(Mode, IndexesOfRegisters) {
  wave_.s[2] = 0xffffff05; // 5
  const std::uint32_t m0 = wave_.s[scalar::kM0];
  run({"s_set_gpr_idx_on s2, gpr_idx(SRC0)", "v_mov_b32_e32 v9, v2"});
  EXPECT_EQ(wave_.s[scalar::kM0], (m0 & 0xffff0f00) | 0x1005);
  EXPECT_EQ(wave_.v[9][3], wave_.v[7][3]);
  run({"v_sub_u32_e32 v9, v2, v3"});
  EXPECT_EQ(wave_.v[9][3], wave_.v[7][3] - wave_.v[3][3]);
  run({"s_set_gpr_idx_mode gpr_idx(SRC1,DST)", "v_sub_u32_e32 v9, v2, v3"});
  EXPECT_EQ(wave_.v[14][4], wave_.v[2][4] - wave_.v[8][4]);
  wave_.s[3] = 1;
  run({"s_set_gpr_idx_idx s3", "v_add_f64 v[20:21], v[2:3], v[4:5]"});
  const auto number = [&](unsigned first) {
    return std::bit_cast<double>(wave_.v[first][6] | std::uint64_t{wave_.v[first + 1][6]} << 32);
  };
  EXPECT_EQ(std::bit_cast<std::uint64_t>(number(21)),
            std::bit_cast<std::uint64_t>(number(2) + number(5)));
  run({"s_set_gpr_idx_off", "v_mov_b32_e32 v9, v2"});
  EXPECT_EQ(wave_.v[9][3], wave_.v[2][3]);

  wave_.s[2] = 250;
  run({"s_set_gpr_idx_on s2, gpr_idx(DST)"});
  EXPECT_NE(report("v_mov_b32_e32 v6, v2").find("a register that the machine does not have"),
            std::string::npos);
}

/// The sequence that Clang has for divisions on gfx803.
class ModeOfGfx803 : public Mode {
protected:
  ModeOfGfx803() : Mode("gfx803") {}
};
TEST_F(ModeOfGfx803, ChangesWithinADivision) {
  wave_.mode &= ~mode::kKeepSingle;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave_.v[0][lane] = std::bit_cast<std::uint32_t>(static_cast<float>(lane) + 1.0F);
    wave_.v[6][lane] = std::bit_cast<std::uint32_t>(3.0F - static_cast<float>(lane));
  }
  run({"v_div_scale_f32 v1, s[2:3], v6, v6, v0", "v_div_scale_f32 v2, vcc, v0, v6, v0",
       "v_rcp_f32_e32 v3, v1", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
       "v_fma_f32 v4, -v1, v3, 1.0", "v_fma_f32 v3, v4, v3, v3", "v_mul_f32_e32 v4, v2, v3",
       "v_fma_f32 v5, -v1, v4, v2", "v_fma_f32 v4, v5, v3, v4", "v_fma_f32 v1, -v1, v4, v2",
       "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0", "v_div_fmas_f32 v1, v1, v3, v4",
       "v_div_fixup_f32 v2, v1, v6, v0"});
  EXPECT_FALSE(mode::is_plain(wave_.mode));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const float x = static_cast<float>(lane) + 1.0F;
    const float y = 3.0F - static_cast<float>(lane);
    EXPECT_EQ(std::bit_cast<float>(wave_.v[2][lane]), x / y) << lane;
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
