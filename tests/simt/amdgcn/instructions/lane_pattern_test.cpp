// DPP: each control on each processor that has it, with masks of lanes and modifiers, against the
// manuals' tables, written as what each lane of the result is.
#include "operand.h"

#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <optional>

namespace gantry::simt::amdgcn {
namespace {

/// Which lane the lane's value comes from.
using From = std::function<std::optional<int>(int lane)>;

struct Pattern {
  std::string text;
  From from;
};

std::vector<Pattern> patterns(bool is_gfx90a) {
  std::vector<Pattern> all;
  for (const auto& p : {std::array{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 1, 3, 0}, {2, 2, 2, 2}}) {
    all.push_back({fmt::format("quad_perm:[{},{},{},{}]", p[0], p[1], p[2], p[3]),
                   [p](int lane) { return lane - lane % 4 + p[lane % 4]; }});
  }
  for (int n = 1; n < 16; ++n) {
    all.push_back({fmt::format("row_shl:{}", n), [n](int lane) -> std::optional<int> {
                     const int from = lane + n;
                     return from / 16 == lane / 16 ? std::optional(from) : std::nullopt;
                   }});
    all.push_back({fmt::format("row_shr:{}", n), [n](int lane) -> std::optional<int> {
                     return lane % 16 - n >= 0 ? std::optional(lane - n) : std::nullopt;
                   }});
    all.push_back({fmt::format("row_ror:{}", n),
                   [n](int lane) { return lane - lane % 16 + (lane + 16 - n) % 16; }});
  }
  all.push_back({"row_mirror", [](int lane) { return lane ^ 15; }});
  all.push_back({"row_half_mirror", [](int lane) { return lane ^ 7; }});
  all.push_back(
      {"wave_shl:1", [](int lane) { return lane == 63 ? std::optional<int>() : lane + 1; }});
  all.push_back(
      {"wave_shr:1", [](int lane) { return lane == 0 ? std::optional<int>() : lane - 1; }});
  all.push_back({"wave_rol:1", [](int lane) { return lane == 63 ? 0 : lane + 1; }});
  all.push_back({"wave_ror:1", [](int lane) { return lane == 0 ? 63 : lane - 1; }});
  all.push_back({"row_bcast:15", [](int lane) { return lane < 16 ? lane : lane / 16 * 16 - 1; }});
  all.push_back({"row_bcast:31", [](int lane) { return lane < 32 ? lane : 31; }});
  for (int n = 0; is_gfx90a && n < 16; ++n) {
    all.push_back(
        {fmt::format("row_newbcast:{}", n), [n](int lane) { return lane / 16 * 16 + n; }});
  }
  return all;
}

class LanePatterns : public testing::TestWithParam<const char*> {
protected:
  void check(const std::string& line, const std::function<void(const Wave&, Wave&)>& model) {
    const std::vector<Words> words = assemble(GetParam(), {line});
    ASSERT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    Wave& wave = machine_.wave();
    for (const LaneMask exec :
         {~LaneMask{0}, LaneMask{random_()}, LaneMask{1} << 17, LaneMask{0}}) {
      scramble(wave, random_);
      wave.set_pair(scalar::kExec, exec);
      const auto before = std::make_unique<Wave>(wave);
      auto expected = std::make_unique<Wave>(wave);
      ASSERT_EQ(machine_.step(0), Next::kOn) << line << ": " << machine_.report();
      EXPECT_EQ(machine_.position(), 2U) << line;
      model(*before, *expected);
      ASSERT_EQ(std::memcmp(wave.v, expected->v, vector::kScratch * sizeof wave.v[0]), 0)
          << line << ", exec " << std::hex << exec;
      ASSERT_EQ(std::memcmp(wave.s, expected->s, sizeof wave.s), 0) << line;
    }
  }
  /// Of the lanes that are written, and the value of the lane that it has instead of its own.
  static void for_written(const Wave& before, const From& from, unsigned rows, unsigned banks,
                          bool zero,
                          const std::function<void(int lane, std::uint32_t value)>& use) {
    const auto is_active = [&](int lane) { return ((before.exec() >> lane) & 1) != 0; };
    for (int lane = 0; lane < 64; ++lane) {
      const std::optional<int> source = from(lane);
      const bool has_value = source.has_value() && is_active(*source);
      if (is_active(lane) && ((rows >> (lane / 16)) & 1) != 0 &&
          ((banks >> (lane % 16 / 4)) & 1) != 0 && (has_value || zero)) {
        use(lane, has_value ? before.v[2][*source] : 0);
      }
    }
  }

  Machine machine_{*find_processor(GetParam())};
  std::mt19937_64 random_{11};
};

TEST_P(LanePatterns, EveryControl) {
  for (const Pattern& pattern : patterns(machine_.processor().has_accumulators)) {
    for (const auto& [rows, banks] :
         {std::pair{0xfU, 0xfU}, {0xaU, 0xfU}, {0xfU, 0x6U}, {0x3U, 0x9U}}) {
      for (const bool zero : {false, true}) {
        const std::string tail = fmt::format(" {} row_mask:{:#x} bank_mask:{:#x}{}", pattern.text,
                                             rows, banks, zero ? " bound_ctrl:0" : "");
        check("v_mov_b32_dpp v9, v2" + tail, [&](const Wave& before, Wave& expected) {
          for_written(before, pattern.from, rows, banks, zero,
                      [&](int lane, std::uint32_t value) { expected.v[9][lane] = value; });
        });
        check("v_and_b32_dpp v2, v2, v3" + tail, [&](const Wave& before, Wave& expected) {
          for_written(before, pattern.from, rows, banks, zero, [&](int lane, std::uint32_t value) {
            expected.v[2][lane] = value & before.v[3][lane];
          });
        });
      }
    }
  }
}

TEST_P(LanePatterns, ModifiersAndMasks) {
  const From from = [](int lane) { return lane ^ 15; };
  const std::string tail = " row_mirror row_mask:0xf bank_mask:0xf";
  check("v_cndmask_b32_dpp v9, v2, v3, vcc" + tail, [&](const Wave& before, Wave& expected) {
    for_written(before, from, 0xf, 0xf, false, [&](int lane, std::uint32_t value) {
      expected.v[9][lane] =
          ((before.pair(scalar::kVcc) >> lane) & 1) != 0 ? before.v[3][lane] : value;
    });
  });
  const std::string sum = machine_.processor().is_gfx8 ? "v_add_u32_dpp" : "v_add_co_u32_dpp";
  check(sum + " v9, vcc, v2, v3" + tail, [&](const Wave& before, Wave& expected) {
    LaneMask carries = 0;
    for_written(before, from, 0xf, 0xf, false, [&](int lane, std::uint32_t value) {
      const std::uint64_t exact = std::uint64_t{value} + before.v[3][lane];
      expected.v[9][lane] = static_cast<std::uint32_t>(exact);
      carries |= LaneMask{exact >> 32} << lane;
    });
    expected.set_pair(scalar::kVcc, carries);
  });
  // Signs and magnitudes show in a maximum of numbers that are none but signs.
  check("v_max_f32_dpp v9, -|v2|, |v3|" + tail, [&](const Wave& before, Wave& expected) {
    for_written(before, from, 0xf, 0xf, false, [&](int lane, std::uint32_t value) {
      const auto is_nan = [](std::uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; };
      const std::uint32_t other = before.v[3][lane] & 0x7fffffff;
      value |= 0x80000000;
      const bool is_signalling =
          (is_nan(other) && (other & 0x400000) == 0) || (is_nan(value) && (value & 0x400000) == 0);
      if (is_signalling) {
        const bool first = is_nan(value) && (value & 0x400000) == 0;
        expected.v[9][lane] = (first ? value : other) | 0x400000;
      } else {
        expected.v[9][lane] = is_nan(other) ? value : other;
      }
    });
  });
}

INSTANTIATE_TEST_SUITE_P(All, LanePatterns, testing::Values("gfx906", "gfx803", "gfx90a"));

TEST(LanePatternsThatAreNone, AreRefused) {
  Machine machine(*find_processor("gfx906"));
  for (const std::uint32_t control : {0x100U, 0x110U, 0x120U, 0x131U, 0x144U, 0x150U, 0x1ffU}) {
    const std::vector<std::uint32_t> words = {0x7e1202fa, 0xff000002 | control << 8}; // v_mov_b32
    machine.load(words);
    EXPECT_EQ(machine.step(0), Next::kFault) << std::hex << control;
    EXPECT_NE(machine.report().find("DPP's control"), std::string::npos) << machine.report();
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
