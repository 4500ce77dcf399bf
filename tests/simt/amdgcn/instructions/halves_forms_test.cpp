// Operations on the halves of registers, against arithmetic of integers without bounds.
#include "vector_form.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace gantry::simt::amdgcn {
namespace {

using Wide = std::int64_t;

struct HalvesForm {
  const char* name;
  unsigned sources;
  bool is_signed;
  std::function<Wide(Wide a, Wide b, Wide c)> result;
};

const HalvesForm kForms[] = {
    {"v_pk_add_u16", 2, false, [](Wide a, Wide b, Wide) { return a + b; }},
    {"v_pk_add_i16", 2, true, [](Wide a, Wide b, Wide) { return a + b; }},
    {"v_pk_sub_u16", 2, false, [](Wide a, Wide b, Wide) { return a - b; }},
    {"v_pk_sub_i16", 2, true, [](Wide a, Wide b, Wide) { return a - b; }},
    {"v_pk_mul_lo_u16", 2, false, [](Wide a, Wide b, Wide) { return a * b; }},
    {"v_pk_mad_u16", 3, false, [](Wide a, Wide b, Wide c) { return a * b + c; }},
    {"v_pk_mad_i16", 3, true, [](Wide a, Wide b, Wide c) { return a * b + c; }},
    {"v_pk_lshlrev_b16", 2, false, [](Wide a, Wide b, Wide) { return b * (Wide{1} << (a % 16)); }},
    {"v_pk_lshrrev_b16", 2, false, [](Wide a, Wide b, Wide) { return b / (Wide{1} << (a % 16)); }},
    {"v_pk_ashrrev_i16", 2, true,
     [](Wide a, Wide b, Wide) {
       const Wide divisor = Wide{1} << (static_cast<std::uint64_t>(a) % 16);
       return (b - (((b % divisor) + divisor) % divisor)) / divisor; // towards minus infinity
     }},
    {"v_pk_min_u16", 2, false, [](Wide a, Wide b, Wide) { return std::min(a, b); }},
    {"v_pk_max_u16", 2, false, [](Wide a, Wide b, Wide) { return std::max(a, b); }},
    {"v_pk_min_i16", 2, true, [](Wide a, Wide b, Wide) { return std::min(a, b); }},
    {"v_pk_max_i16", 2, true, [](Wide a, Wide b, Wide) { return std::max(a, b); }},
};

std::uint32_t expected(const HalvesForm& form, const Wave& wave, unsigned lane, unsigned low,
                       unsigned high) {
  std::uint32_t made = 0;
  for (unsigned part = 0; part < 2; ++part) {
    const auto source = [&](unsigned i) -> Wide {
      const std::uint32_t both = wave.v[2 + i][lane];
      const unsigned chosen = part == 0 ? low : high;
      const std::uint32_t half = ((chosen >> i) & 1) != 0 ? both >> 16 : both & 0xffff;
      return form.is_signed && half >= 0x8000 ? Wide{half} - 0x10000 : Wide{half};
    };
    const auto half = static_cast<std::uint64_t>(form.result(source(0), source(1), source(2)));
    made |= static_cast<std::uint32_t>(half & 0xffff) << (16 * part);
  }
  return made;
}

TEST(Halves, EveryChoiceOfHalves) {
  Machine machine(*find_processor("gfx906"));
  std::mt19937_64 random(7);
  for (const HalvesForm& form : kForms) {
    const unsigned choices = 1U << form.sources;
    for (unsigned low = 0; low < choices; ++low) {
      for (unsigned high = 0; high < choices; ++high) {
        const auto list = [&](unsigned bits) {
          std::string text;
          for (unsigned i = 0; i < form.sources; ++i) {
            text += fmt::format("{}{}", i == 0 ? "" : ",", (bits >> i) & 1);
          }
          return text;
        };
        const std::string line =
            fmt::format("{} v9, v2, v3{} op_sel:[{}] op_sel_hi:[{}]", form.name,
                        form.sources == 3 ? ", v4" : "", list(low), list(high));
        const std::vector<Words> words = assemble("gfx906", {line});
        ASSERT_FALSE(words[0].empty()) << line;
        machine.load(words[0]);
        Wave& wave = machine.wave();
        scramble(wave, random);
        const LaneMask exec = random();
        wave.set_pair(scalar::kExec, exec);
        static constexpr std::uint32_t kEdges[] = {0, 1, 0x7fff, 0x8000, 0xffff, 0x8001};
        for (unsigned row = 2; row < 5; ++row) {
          for (unsigned lane = 0; lane < 16; ++lane) {
            wave.v[row][lane] = kEdges[random() % 6] << 16 | kEdges[random() % 6];
          }
        }
        auto after = std::make_unique<Wave>(wave);
        ASSERT_EQ(machine.step(0), Next::kOn) << line << ": " << machine.report();
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          if (((exec >> lane) & 1) != 0) {
            after->v[9][lane] = expected(form, *after, lane, low, high);
          }
        }
        ASSERT_EQ(std::memcmp(wave.v, after->v, sizeof wave.v), 0) << line;
        ASSERT_EQ(std::memcmp(wave.s, after->s, sizeof wave.s), 0) << line;
      }
    }
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
