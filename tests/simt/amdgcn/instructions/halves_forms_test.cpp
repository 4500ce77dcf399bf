// Operations on both halves of registers: integers against arithmetic without bounds, floats
// against what the single instruction of the same name gives.
#include "vector_form.h"

#include "../../instructions/number.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace gantry::simt::amdgcn {
namespace {

using instructions::kHalf;
using Wide = std::int64_t;

struct IntegerForm {
  const char* name;
  unsigned sources;
  bool is_signed;
  bool clamps;
  Wide (*result)(Wide a, Wide b, Wide c);
};

constexpr IntegerForm kIntegerForms[] = {
    {"v_pk_add_u16", 2, false, true, [](Wide a, Wide b, Wide) { return a + b; }},
    {"v_pk_add_i16", 2, true, true, [](Wide a, Wide b, Wide) { return a + b; }},
    {"v_pk_sub_u16", 2, false, true, [](Wide a, Wide b, Wide) { return a - b; }},
    {"v_pk_sub_i16", 2, true, true, [](Wide a, Wide b, Wide) { return a - b; }},
    {"v_pk_mul_lo_u16", 2, false, false, [](Wide a, Wide b, Wide) { return a * b; }},
    {"v_pk_mad_u16", 3, false, true, [](Wide a, Wide b, Wide c) { return a * b + c; }},
    {"v_pk_mad_i16", 3, true, true, [](Wide a, Wide b, Wide c) { return a * b + c; }},
    {"v_pk_lshlrev_b16", 2, false, false,
     [](Wide a, Wide b, Wide) { return b * (Wide{1} << (a % 16)); }},
    {"v_pk_lshrrev_b16", 2, false, false,
     [](Wide a, Wide b, Wide) { return b / (Wide{1} << (a % 16)); }},
    {"v_pk_ashrrev_i16", 2, true, false,
     [](Wide a, Wide b, Wide) {
       const Wide divisor = Wide{1} << (static_cast<std::uint64_t>(a) % 16);
       return (b - (((b % divisor) + divisor) % divisor)) / divisor; // towards minus infinity
     }},
    {"v_pk_min_u16", 2, false, false, [](Wide a, Wide b, Wide) { return std::min(a, b); }},
    {"v_pk_max_u16", 2, false, false, [](Wide a, Wide b, Wide) { return std::max(a, b); }},
    {"v_pk_min_i16", 2, true, false, [](Wide a, Wide b, Wide) { return std::min(a, b); }},
    {"v_pk_max_i16", 2, true, false, [](Wide a, Wide b, Wide) { return std::max(a, b); }},
};

/// What one half becomes, by the forms of single halves.
const std::pair<const char*, const char*> kFloatForms[] = {
    {"v_pk_add_f16", "v_add_f16"}, {"v_pk_mul_f16", "v_mul_f16"}, {"v_pk_min_f16", "v_min_f16"},
    {"v_pk_max_f16", "v_max_f16"}, {"v_pk_fma_f16", "v_fma_f16"},
};

/// The choices of an instruction, a bit for each source.
struct Choice {
  unsigned sources = 2;
  unsigned low = 0, high = 0, negate_low = 0, negate_high = 0;
  bool clamp = false;

  [[nodiscard]] std::string text(const char* name) const {
    std::string made = fmt::format("{} v9, v2, v3{}", name, sources == 3 ? ", v4" : "");
    const auto add = [&](const char* what, unsigned bits, unsigned unsaid) {
      if (bits != unsaid) {
        made += fmt::format(" {}:[", what);
        for (unsigned i = 0; i < sources; ++i) {
          made += fmt::format("{}{}", i == 0 ? "" : ",", (bits >> i) & 1);
        }
        made += "]";
      }
    };
    add("op_sel", low, 0);
    add("op_sel_hi", high, (1U << sources) - 1);
    add("neg_lo", negate_low, 0);
    add("neg_hi", negate_high, 0);
    return made + (clamp ? " clamp" : "");
  }
  /// Of a source, for one part of the result.
  [[nodiscard]] std::uint32_t half(const Wave& wave, unsigned lane, unsigned i,
                                   unsigned part) const {
    const std::uint32_t both = wave.v[2 + i][lane];
    const unsigned chosen = part == 0 ? low : high;
    const unsigned negated = part == 0 ? negate_low : negate_high;
    return (((chosen >> i) & 1) != 0 ? both >> 16 : both & 0xffff) ^ ((negated >> i) & 1) << 15;
  }
};

class Halves : public testing::Test {
protected:
  /// Runs the instruction, and compares each half with what `expected(before, lane, part)` is,
  /// where `agree(got, expected)` says.
  void check(const std::string& line, auto expected, auto agree) {
    const std::vector<Words> words = assemble("gfx906", {line});
    ASSERT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    Wave& wave = machine_.wave();
    scramble(wave, random_);
    const LaneMask exec = random_();
    wave.set_pair(scalar::kExec, exec);
    const auto& edges = edges_of('h');
    static constexpr std::uint32_t kIntegers[] = {0, 1, 0x7fff, 0x8000, 0xffff, 0x8001};
    for (unsigned row = 2; row < 5; ++row) {
      for (unsigned lane = 0; lane < 48; ++lane) {
        const auto any = [&] {
          return lane < 16 ? kIntegers[random_() % 6]
                           : static_cast<std::uint32_t>(edges[random_() % edges.size()]);
        };
        wave.v[row][lane] = any() << 16 | any();
      }
    }
    auto after = std::make_unique<Wave>(wave);
    ASSERT_EQ(machine_.step(0), Next::kOn) << line << ": " << machine_.report();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (((exec >> lane) & 1) == 0) {
        continue;
      }
      for (unsigned part = 0; part < 2; ++part) {
        const std::uint64_t exact = expected(*after, lane, part);
        const std::uint64_t got = (wave.v[9][lane] >> (16 * part)) & 0xffff;
        ASSERT_TRUE(agree(got, exact)) << fmt::format("{}, lane {}, part {}: {:#x}, expected {:#x}",
                                                      line, lane, part, got, exact);
      }
      after->v[9][lane] = wave.v[9][lane];
    }
    ASSERT_EQ(std::memcmp(wave.v, after->v, sizeof wave.v), 0) << line;
    ASSERT_EQ(std::memcmp(wave.s, after->s, sizeof wave.s), 0) << line;
  }
  void check_integers(const IntegerForm& form, const Choice& choice) {
    check(
        choice.text(form.name),
        [&](const Wave& wave, unsigned lane, unsigned part) {
          const auto source = [&](unsigned i) -> Wide {
            const std::uint32_t half = choice.half(wave, lane, i, part);
            return form.is_signed && half >= 0x8000 ? Wide{half} - 0x10000 : Wide{half};
          };
          Wide made = form.result(source(0), source(1), source(2));
          if (choice.clamp) {
            made = form.is_signed ? std::clamp<Wide>(made, -0x8000, 0x7fff)
                                  : std::clamp<Wide>(made, 0, 0xffff);
          }
          return static_cast<std::uint64_t>(made) & 0xffff;
        },
        std::equal_to<>());
  }
  void check_floats(const char* name, const VectorForm& form, const Choice& choice) {
    check(
        choice.text(name),
        [&](const Wave& wave, unsigned lane, unsigned part) -> std::uint64_t {
          LaneInput input;
          input.a = choice.half(wave, lane, 0, part);
          input.b = choice.half(wave, lane, 1, part);
          input.c = choice.half(wave, lane, 2, part);
          const std::uint64_t made = form.reference(input).value;
          if (!choice.clamp) {
            return made;
          }
          return kHalf.is_nan(made) || made >= 0x8000 ? 0 : std::min(made, kHalf.one());
        },
        [](std::uint64_t got, std::uint64_t exact) {
          const bool is_any_nan = kHalf.is_nan(exact) && kHalf.is_nan(got) && (got & 0x200) != 0;
          return got == exact || is_any_nan;
        });
  }

  Machine machine_{*find_processor("gfx906")};
  std::mt19937_64 random_{7};
};

TEST_F(Halves, EveryChoiceOfHalves) {
  for (const IntegerForm& form : kIntegerForms) {
    const unsigned choices = 1U << form.sources;
    for (unsigned low = 0; low < choices; ++low) {
      for (unsigned high = 0; high < choices; ++high) {
        check_integers(form, {.sources = form.sources, .low = low, .high = high});
        if (form.clamps) {
          check_integers(form, {.sources = form.sources, .low = low, .high = high, .clamp = true});
        }
      }
    }
  }
}

TEST_F(Halves, EveryChoiceAndSignOfFloats) {
  for (const auto& [name, single] : kFloatForms) {
    const auto form =
        std::ranges::find(half_forms(), std::string_view(single),
                          [](const VectorForm& it) { return std::string_view(it.name); });
    ASSERT_NE(form, half_forms().end());
    const unsigned sources = form->types == std::string_view("h=hh") ? 2 : 3;
    const unsigned choices = 1U << sources;
    for (unsigned low = 0; low < choices; ++low) {
      for (unsigned high = 0; high < choices; ++high) {
        const auto any = [&] { return static_cast<unsigned>(random_() % choices); };
        Choice choice = {.sources = sources, .low = low, .high = high};
        check_floats(name, *form, choice);
        choice.negate_low = any();
        choice.negate_high = any();
        check_floats(name, *form, choice);
        choice.clamp = true;
        check_floats(name, *form, choice);
      }
    }
  }
}

/// Integers are signed ones of 32 bits; a float is a half below zeros, or beside integers a single
/// one.
TEST_F(Halves, Constants) {
  struct Case {
    const char* line;
    std::uint32_t result;
  };
  static constexpr Case kCases[] = {
      {"v_pk_add_u16 v9, v5, -2", 0xfffffffe},
      {"v_pk_add_u16 v9, v5, 7", 0x00000007},
      {"v_pk_add_u16 v9, v5, 7 op_sel_hi:[1,0]", 0x00070007},
      {"v_pk_add_u16 v9, v5, 1.0", 0x3f800000},
      {"v_pk_add_f16 v9, v5, 1.0", 0x00003c00},
      {"v_pk_add_f16 v9, v5, 1.0 op_sel_hi:[1,0]", 0x3c003c00},
      {"v_pk_max_f16 v9, v5, 1.0 op_sel:[0,1] op_sel_hi:[1,0]", 0x3c000000},
      {"v_pk_add_f16 v9, v5, s4 op_sel:[0,1] op_sel_hi:[1,0]", 0x12341c00},
  };
  for (const Case& it : kCases) {
    const std::vector<Words> words = assemble("gfx906", {it.line});
    ASSERT_FALSE(words[0].empty()) << it.line;
    machine_.load(words[0]);
    Wave& wave = machine_.wave();
    wave.set_pair(scalar::kExec, 1);
    wave.v[5][0] = 0;
    wave.s[4] = 0x1c001234;
    ASSERT_EQ(machine_.step(0), Next::kOn) << it.line << ": " << machine_.report();
    EXPECT_EQ(wave.v[9][0], it.result) << it.line;
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
