// Instructions that name lanes, and control of the wave.
#include "operand.h"

#include "simt/amdgcn/code/instruction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

class Lanes : public testing::Test {
protected:
  void SetUp() override { scramble(machine_.wave(), random_); }

  /// Runs one line; what comes then is the caller's to compare with `before`.
  Next run(const std::string& line) {
    const std::vector<Words> words = assemble("gfx906", {line});
    EXPECT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    size_ = words[0].size();
    before_ = std::make_unique<Wave>(machine_.wave());
    const Next next = machine_.step(0);
    EXPECT_NE(next, Next::kFault) << line << ": " << machine_.report();
    return next;
  }
  /// That nothing else has changed.
  void expect_before(const std::string& line) {
    const Wave& wave = machine_.wave();
    EXPECT_EQ(std::memcmp(wave.v, before_->v, sizeof wave.v), 0) << line;
    for (unsigned i = 0; i < scalar::kCount; ++i) {
      EXPECT_EQ(wave.s[i], before_->s[i]) << line << ", scalar register " << i;
    }
  }
  void expect_result(const std::string& line, unsigned index, std::uint32_t value) {
    before_->s[index] = value;
    expect_before(line);
  }

  Machine machine_{*find_processor("gfx906")};
  Wave& wave_ = machine_.wave();
  std::unique_ptr<Wave> before_;
  std::mt19937_64 random_{1};
  std::size_t size_ = 0;
};

TEST_F(Lanes, TheFirstActiveOneIsRead) {
  for (const LaneMask exec : {~LaneMask{0}, LaneMask{1} << 63, LaneMask{0x8040}, LaneMask{0}}) {
    wave_.set_pair(scalar::kExec, exec);
    unsigned first = 0;
    while (exec != 0 && ((exec >> first) & 1) == 0) {
      ++first;
    }
    for (const unsigned row : {3U, 255U}) {
      const std::string line = fmt::format("v_readfirstlane_b32 s9, v{}", row);
      run(line);
      expect_result(line, 9, before_->v[row][first]);
    }
    run("v_readfirstlane_b32 vcc_hi, v3");
    expect_result("vcc_hi", 107, before_->v[3][first]);
  }
}

TEST_F(Lanes, ANumberedOneIsReadAndWritten) {
  for (unsigned lane = 0; lane < 130; lane += 13) {
    // Whether lanes are active does not matter, and six bits of the number do.
    wave_.set_pair(scalar::kExec, lane % 2 == 0 ? 0 : random_());
    wave_.s[4] = lane;
    wave_.s[scalar::kM0] = lane;
    for (const char* const number : {"s4", "m0", "vcc_hi"}) {
      wave_.s[107] = lane;
      const std::string read = fmt::format("v_readlane_b32 s9, v3, {}", number);
      run(read);
      expect_result(read, 9, before_->v[3][lane % 64]);
      for (const char* const value : {"1.0", number}) {
        const std::string written = fmt::format("v_writelane_b32 v3, {}, {}", value, number);
        run(written);
        before_->v[3][lane % 64] = value == number ? lane : 0x3f800000;
        expect_before(written);
      }
    }
    if (lane <= 64) {
      const std::string read = fmt::format("v_readlane_b32 vcc_lo, v3, {}", lane);
      run(read);
      expect_result(read, 106, before_->v[3][lane % 64]);
      const std::string written = fmt::format("v_writelane_b32 v7, -5, {}", lane);
      run(written);
      before_->v[7][lane % 64] = ~4U;
      expect_before(written);
      const std::string from_scalar = fmt::format("v_writelane_b32 v7, s5, {}", lane);
      run(from_scalar);
      before_->v[7][lane % 64] = before_->s[5];
      expect_before(from_scalar);
    }
  }
}

TEST_F(Lanes, WhatDoesNothingChangesNothing) {
  for (const char* const line :
       {"v_nop", "v_nop_e64", "s_nop 3", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_setprio 2", "s_wakeup",
        "s_icache_inv", "s_ttracedata", "s_incperflevel 1", "s_decperflevel 1", "s_dcache_wb",
        "s_dcache_wb_vol", "s_dcache_inv", "s_dcache_inv_vol", "buffer_wbinvl1",
        "buffer_wbinvl1_vol", "ds_nop", "s_trap 3"}) {
    EXPECT_EQ(run(line), Next::kOn) << line;
    EXPECT_EQ(machine_.position(), size_) << line;
    expect_before(line);
  }
}

class Flow : public Lanes {
protected:
  /// Code of no-operations with one instruction in it.
  static constexpr std::size_t kPlace = 40, kSize = 100;
  Next run_at(const std::string& line) {
    const std::vector<Words> words = assemble("gfx906", {"s_nop 0", line});
    EXPECT_FALSE(words[1].empty()) << line;
    Words code(kSize, words[0][0]);
    std::ranges::copy(words[1], code.begin() + kPlace);
    machine_.load(code);
    size_ = words[1].size();
    before_ = std::make_unique<Wave>(machine_.wave());
    return machine_.step(kPlace);
  }
  void expect_branch(const std::string& mnemonic, bool taken) {
    for (const int distance : {0, 5, -1, -30, 58}) {
      const std::string line = fmt::format("{} {}", mnemonic, distance);
      EXPECT_EQ(run_at(line), Next::kOn) << machine_.report();
      EXPECT_EQ(machine_.position(), kPlace + 1 + (taken ? static_cast<std::size_t>(distance) : 0))
          << line;
      expect_before(line);
    }
  }
};

TEST_F(Flow, BranchesGoWhereTheyAreTaken) {
  expect_branch("s_branch", true);
  for (const bool is : {false, true}) {
    wave_.s[scalar::kScc] = is ? 1 : 0;
    expect_branch("s_cbranch_scc1", is);
    expect_branch("s_cbranch_scc0", !is);
  }
  for (const std::uint64_t mask :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 63}) {
    wave_.set_pair(scalar::kVcc, mask);
    wave_.set_pair(scalar::kExec, 0);
    expect_branch("s_cbranch_vccz", mask == 0);
    expect_branch("s_cbranch_vccnz", mask != 0);
    wave_.set_pair(scalar::kVcc, 0);
    wave_.set_pair(scalar::kExec, mask);
    expect_branch("s_cbranch_execz", mask == 0);
    expect_branch("s_cbranch_execnz", mask != 0);
  }
}

TEST_F(Flow, JumpsGoToAddresses) {
  const auto address = [&](std::size_t word) { return machine_.code() + 4 * word; };
  EXPECT_EQ(run_at("s_getpc_b64 s[6:7]"), Next::kOn);
  before_->set_pair(6, address(kPlace + 1));
  expect_before("s_getpc");
  for (const std::size_t target : {std::size_t{0}, kPlace, kSize - 1}) {
    run_at("s_nop 0");
    // The code's address is another one each time that it is loaded.
    for (const char* const line :
         {"s_setpc_b64 s[6:7]", "s_swappc_b64 s[30:31], s[6:7]", "s_swappc_b64 s[6:7], s[6:7]"}) {
      const std::vector<Words> words = assemble("gfx906", {"s_nop 0", line});
      Words code(kSize, words[0][0]);
      code[kPlace] = words[1][0];
      machine_.load(code);
      wave_.set_pair(6, address(target));
      before_ = std::make_unique<Wave>(wave_);
      EXPECT_EQ(machine_.step(kPlace), Next::kOn) << machine_.report();
      EXPECT_EQ(machine_.position(), target) << line;
      if (std::string_view(line).starts_with("s_swappc")) {
        before_->set_pair(line[16] == '0' || line[15] == '3' ? 30 : 6, address(kPlace + 1));
      }
      expect_before(line);
    }
  }
  for (const int distance : {3, -20}) {
    EXPECT_EQ(run_at(fmt::format("s_call_b64 s[30:31], {}", distance)), Next::kOn);
    EXPECT_EQ(machine_.position(), kPlace + 1 + static_cast<std::size_t>(distance));
    before_->set_pair(30, address(kPlace + 1));
    expect_before("s_call");
  }
}

TEST_F(Flow, TheWaveIsLeftWhereItShouldBe) {
  EXPECT_EQ(run_at("s_endpgm"), Next::kEnd);
  EXPECT_EQ(run_at("s_barrier"), Next::kBarrier);
  EXPECT_EQ(machine_.position(), kPlace + 1);
  EXPECT_EQ(run_at("s_sleep 4"), Next::kYield);
  EXPECT_EQ(machine_.position(), kPlace + 1);
  EXPECT_EQ(run_at("s_trap 2"), Next::kFault);
  ASSERT_TRUE(wave_.fault);
  EXPECT_EQ(wave_.fault->kind, FaultKind::kTrap);
}

TEST_F(Flow, LoopsLetOthersRun) {
  EXPECT_EQ(run_at("s_branch -1"), Next::kOn);
  unsigned count = 0;
  while (machine_.run(kPlace, kSize) == Next::kOn) {
    ASSERT_LT(++count, 100'000U);
  }
}

TEST_F(Flow, ClocksGoOn) {
  std::uint64_t last = 0;
  for (const char* const line : {"s_memtime s[6:7]", "s_memrealtime s[6:7]"}) {
    for (unsigned i = 0; i < 3; ++i) {
      EXPECT_EQ(run_at(line), Next::kOn);
      EXPECT_GE(wave_.pair(6), last);
      last = wave_.pair(6);
      before_->set_pair(6, last);
      expect_before(line);
    }
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
