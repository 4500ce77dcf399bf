// Moves of registers that M0 names, and exchanges.
#include "operand.h"

#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

class Indexed : public testing::Test {
protected:
  /// Runs the line on a machine whose M0 is given, and compares it with what `model` makes of it.
  void check(const char* processor, const std::string& line, std::uint32_t m0, auto model) {
    Machine machine(*find_processor(processor));
    Wave& wave = machine.wave();
    scramble(wave, random_);
    wave.s[scalar::kM0] = m0;
    const LaneMask exec = random_();
    wave.set_pair(scalar::kExec, exec);
    auto expected = std::make_unique<Wave>(wave);
    const std::vector<Words> words = assemble(processor, {line});
    ASSERT_FALSE(words[0].empty()) << line;
    machine.load(words[0]);
    ASSERT_EQ(machine.step(0), Next::kOn) << line << ": " << machine.report();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (((exec >> lane) & 1) != 0) {
        model(*expected, lane);
      }
    }
    EXPECT_EQ(std::memcmp(wave.v, expected->v, sizeof wave.v), 0) << line;
    EXPECT_EQ(std::memcmp(wave.s, expected->s, sizeof wave.s), 0) << line;
  }
  std::string report(const char* processor, const std::string& line, std::uint32_t m0) {
    Machine machine(*find_processor(processor));
    machine.wave().s[scalar::kM0] = m0;
    machine.load(assemble(processor, {line})[0]);
    EXPECT_EQ(machine.step(0), Next::kFault) << line;
    return machine.report();
  }

  std::mt19937_64 random_{9};
};

TEST_F(Indexed, ScalarRegisters) {
  check("gfx906", "s_movrels_b32 s4, s6", 11, [](Wave& it, unsigned) { it.s[4] = it.s[17]; });
  check("gfx906", "s_movrels_b32 s4, s6", ~0U, [](Wave& it, unsigned) { it.s[4] = it.s[5]; });
  check("gfx906", "s_movrels_b64 s[4:5], s[6:7]", 10, [](Wave& it, unsigned) {
    it.s[4] = it.s[16];
    it.s[5] = it.s[17];
  });
  check("gfx906", "s_movreld_b32 s4, s6", 7, [](Wave& it, unsigned) { it.s[11] = it.s[6]; });
  check("gfx906", "s_movreld_b32 s4, 64", 3, [](Wave& it, unsigned) { it.s[7] = 64; });
  check("gfx906", "s_movreld_b64 s[4:5], s[6:7]", 8, [](Wave& it, unsigned) {
    it.s[12] = it.s[6];
    it.s[13] = it.s[7];
  });
  for (const std::uint32_t m0 : {200U, 0x80000000U, 0U - 7}) {
    EXPECT_NE(report("gfx906", "s_movrels_b32 s4, s6", m0).find("a register that the machine"),
              std::string::npos);
  }
  EXPECT_NE(report("gfx906", "s_movreld_b32 s4, s6", 120).find("a register that the machine"),
            std::string::npos);
}

TEST_F(Indexed, VectorRegisters) {
  check("gfx803", "v_movrels_b32_e32 v4, v6", 11,
        [](Wave& it, unsigned lane) { it.v[4][lane] = it.v[17][lane]; });
  check("gfx803", "v_movreld_b32_e32 v4, v6", 7,
        [](Wave& it, unsigned lane) { it.v[11][lane] = it.v[6][lane]; });
  check("gfx803", "v_movrelsd_b32_e32 v4, v6", 3,
        [](Wave& it, unsigned lane) { it.v[7][lane] = it.v[9][lane]; });
  EXPECT_NE(report("gfx803", "v_movrels_b32_e32 v4, v6", 250).find("a register that the machine"),
            std::string::npos);
  EXPECT_NE(
      report("gfx803", "v_movreld_b32_e32 v4, v6", 0U - 5).find("a register that the machine"),
      std::string::npos);
}

TEST_F(Indexed, RegistersAreExchanged) {
  check("gfx906", "v_swap_b32 v4, v6", 0,
        [](Wave& it, unsigned lane) { std::swap(it.v[4][lane], it.v[6][lane]); });
  check("gfx906", "v_swap_b32 v4, v4", 0, [](Wave&, unsigned) {});
}

} // namespace
} // namespace gantry::simt::amdgcn
