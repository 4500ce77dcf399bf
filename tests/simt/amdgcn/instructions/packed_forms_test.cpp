// What gfx90a has beside the others, and gfx803 by other names.
#include "vector_form.h"

#include "../../instructions/number.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

namespace number = instructions;
using number::kSingle;

class Gfx90a : public testing::Test {
protected:
  /// Runs the line in lanes of several kinds; `model` changes the registers of one lane.
  void check(const std::string& line, auto model) {
    const std::vector<Words> words = assemble("gfx90a", {line});
    ASSERT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    Wave& wave = machine_.wave();
    for (const LaneMask exec :
         {~LaneMask{0}, LaneMask{1} << 9, LaneMask{0x123456789abcdef0}, LaneMask{0}}) {
      scramble(wave, random_);
      wave.set_pair(scalar::kExec, exec);
      for (unsigned row = 2; row < 10; ++row) {
        for (std::uint32_t& lane : wave.v[row]) {
          lane = static_cast<std::uint32_t>(any_value('f', random_));
        }
      }
      auto expected = std::make_unique<Wave>(wave);
      ASSERT_EQ(machine_.step(0), Next::kOn) << line << ": " << machine_.report();
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (((exec >> lane) & 1) != 0) {
          model(wave, *expected, lane);
        }
      }
      ASSERT_EQ(std::memcmp(wave.v, expected->v, sizeof wave.v), 0) << line;
      ASSERT_EQ(std::memcmp(wave.s, expected->s, sizeof wave.s), 0) << line;
    }
  }
  /// What arithmetic gives, where any quiet NaN will do.
  static std::uint32_t agreed(std::uint64_t exact, std::uint32_t got) {
    const bool is_quiet = ((got >> 22) & 1) != 0;
    return kSingle.is_nan(exact) && kSingle.is_nan(got) && is_quiet
               ? got
               : static_cast<std::uint32_t>(exact);
  }

  Machine machine_{*find_processor("gfx90a")};
  std::mt19937_64 random_{1};
};

TEST_F(Gfx90a, PairsOfFloats) {
  // Which half each result's sources are of, and whether they are negated.
  for (unsigned choice = 0; choice < 64; ++choice) {
    const auto bit = [&](unsigned i) { return (choice >> i) & 1; };
    const std::string tail = fmt::format(
        " op_sel:[{},{},{}] op_sel_hi:[{},{},{}] neg_lo:[{},{},{}] neg_hi:[{},{},{}]", bit(0),
        bit(1), bit(2), bit(3), bit(4), bit(5), bit(5), bit(0), bit(3), bit(1), bit(4), bit(2));
    const unsigned negated[2][3] = {{bit(5), bit(0), bit(3)}, {bit(1), bit(4), bit(2)}};
    const auto source = [&](const Wave& before, unsigned lane, unsigned i, unsigned part) {
      const unsigned upper = bit(i + 3 * part);
      const unsigned first = 4 + 2 * i; // v[4:5], v[6:7], v[8:9]
      return number::unpacked(before.v[first + upper][lane] ^ negated[part][i] << 31, kSingle);
    };
    check("v_pk_fma_f32 v[20:21], v[4:5], v[6:7], v[8:9]" + tail, [&](const Wave& wave, Wave& lanes,
                                                                      unsigned lane) {
      for (unsigned part = 0; part < 2; ++part) {
        const auto made =
            number::sum(number::product(source(lanes, lane, 0, part), source(lanes, lane, 1, part)),
                        source(lanes, lane, 2, part), number::Round::kNearestEven);
        lanes.v[20 + part][lane] = agreed(
            number::packed(made, kSingle, number::Round::kNearestEven), wave.v[20 + part][lane]);
      }
    });
    const std::string two =
        fmt::format(" op_sel:[{},{}] op_sel_hi:[{},{}] neg_lo:[{},{}] neg_hi:[{},{}]", bit(0),
                    bit(1), bit(3), bit(4), bit(5), bit(0), bit(1), bit(4));
    for (const bool adds : {false, true}) {
      check(fmt::format("v_pk_{}_f32 v[4:5], v[4:5], v[6:7]{}", adds ? "add" : "mul", two),
            [&](const Wave& wave, Wave& lanes, unsigned lane) {
              std::uint32_t values[2];
              for (unsigned part = 0; part < 2; ++part) {
                const auto a = source(lanes, lane, 0, part);
                const auto b = source(lanes, lane, 1, part);
                const auto made =
                    adds ? number::sum(a, b, number::Round::kNearestEven) : number::product(a, b);
                values[part] = agreed(number::packed(made, kSingle, number::Round::kNearestEven),
                                      wave.v[4 + part][lane]);
              }
              lanes.v[4][lane] = values[0];
              lanes.v[5][lane] = values[1];
            });
    }
  }
  check("v_pk_mul_f32 v[20:21], v[4:5], s[6:7] op_sel_hi:[1,0] clamp",
        [&](const Wave& wave, Wave& lanes, unsigned lane) {
          for (unsigned part = 0; part < 2; ++part) {
            const std::uint64_t made =
                number::packed(number::product(number::unpacked(lanes.v[4 + part][lane], kSingle),
                                               number::unpacked(lanes.s[6], kSingle)),
                               kSingle, number::Round::kNearestEven);
            const bool is_zero = kSingle.is_nan(made) || (made & kSingle.sign()) != 0;
            lanes.v[20 + part][lane] =
                is_zero ? 0 : static_cast<std::uint32_t>(std::min(made, kSingle.one()));
          }
          (void)wave;
        });
}

TEST_F(Gfx90a, PairsAreMoved) {
  for (unsigned choice = 0; choice < 4; ++choice) {
    check(
        fmt::format("v_pk_mov_b32 v[4:5], v[6:7], v[4:5] op_sel:[{},{}]", choice & 1, choice >> 1),
        [&](const Wave&, Wave& lanes, unsigned lane) {
          const std::uint32_t low = lanes.v[6 + (choice & 1)][lane];
          const std::uint32_t high = lanes.v[4 + (choice >> 1)][lane];
          lanes.v[4][lane] = low;
          lanes.v[5][lane] = high;
        });
  }
  check("v_pk_mov_b32 v[4:5], 0, 1.0", [&](const Wave&, Wave& lanes, unsigned lane) {
    lanes.v[4][lane] = 0;
    lanes.v[5][lane] = 0x3f800000;
  });
  check("v_pk_mov_b32 v[4:5], s[6:7], s[6:7] op_sel:[0,1]",
        [&](const Wave&, Wave& lanes, unsigned lane) {
          lanes.v[4][lane] = lanes.s[6];
          lanes.v[5][lane] = lanes.s[7];
        });
  check("v_pk_mov_b32 v[4:5], s[6:7], v[8:9] op_sel:[1,0]",
        [&](const Wave&, Wave& lanes, unsigned lane) {
          lanes.v[4][lane] = lanes.s[7];
          lanes.v[5][lane] = lanes.v[8][lane];
        });
}

TEST_F(Gfx90a, AccumulatorsAreRegistersOfTheirOwn) {
  constexpr unsigned kFirst = vector::kAccumulators;
  check("v_accvgpr_write_b32 a5, v3", [](const Wave&, Wave& lanes, unsigned lane) {
    lanes.v[kFirst + 5][lane] = lanes.v[3][lane];
  });
  check("v_accvgpr_write_b32 a255, 1.0",
        [](const Wave&, Wave& lanes, unsigned lane) { lanes.v[kFirst + 255][lane] = 0x3f800000; });
  check("v_accvgpr_write_b32 a0, s7",
        [](const Wave&, Wave& lanes, unsigned lane) { lanes.v[kFirst][lane] = lanes.s[7]; });
  check("v_accvgpr_read_b32 v3, a255", [](const Wave&, Wave& lanes, unsigned lane) {
    lanes.v[3][lane] = lanes.v[kFirst + 255][lane];
  });
  check("v_accvgpr_mov_b32 a7, a8", [](const Wave&, Wave& lanes, unsigned lane) {
    lanes.v[kFirst + 7][lane] = lanes.v[kFirst + 8][lane];
  });
}

TEST_F(Gfx90a, AccumulatorsAreLoadedAndStored) {
  constexpr unsigned kFirst = vector::kAccumulators;
  Wave& wave = machine_.wave();
  scramble(wave, random_);
  wave.set_pair(scalar::kExec, LaneMask{1} << 3);
  const auto global = reinterpret_cast<std::uint64_t>(machine_.global().data());
  const auto run = [&](const char* line) {
    const std::vector<Words> words = assemble("gfx90a", {line});
    ASSERT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    wave.v[2][3] = static_cast<std::uint32_t>(global);
    wave.v[3][3] = static_cast<std::uint32_t>(global >> 32);
    wave.v[4][3] = 64;
    wave.set_pair(12, wave.scratch);
    ASSERT_EQ(machine_.step(0), Next::kOn) << line << ": " << machine_.report();
  };
  const std::pair<const char*, const char*> kPairs[] = {
      {"global_store_dwordx2 v[2:3], a[6:7], off", "global_load_dwordx2 a[8:9], v[2:3], off"},
      {"flat_store_dwordx2 v[2:3], a[6:7]", "flat_load_dwordx2 a[8:9], v[2:3]"},
      {"ds_write_b64 v4, a[6:7]", "ds_read_b64 a[8:9], v4"},
      {"buffer_store_dwordx2 a[6:7], off, s[12:15], 0",
       "buffer_load_dwordx2 a[8:9], off, s[12:15], 0"},
  };
  for (const auto& [store, load] : kPairs) {
    wave.v[kFirst + 6][3] = static_cast<std::uint32_t>(random_());
    wave.v[kFirst + 7][3] = static_cast<std::uint32_t>(random_());
    const std::uint32_t kept = wave.v[8][3];
    run(store);
    run(load);
    EXPECT_EQ(wave.v[kFirst + 8][3], wave.v[kFirst + 6][3]) << load;
    EXPECT_EQ(wave.v[kFirst + 9][3], wave.v[kFirst + 7][3]) << load;
    EXPECT_EQ(wave.v[8][3], kept) << load;
  }
  run("global_atomic_swap a10, v[2:3], a6, off glc");
  std::uint32_t now = 0;
  std::memcpy(&now, machine_.global().data(), 4);
  EXPECT_EQ(now, wave.v[kFirst + 6][3]);
}

TEST_F(Gfx90a, CachesAreNotThere) {
  for (const char* const line : {"buffer_wbl2", "buffer_invl2", "buffer_wbinvl1_vol"}) {
    check(line, [](const Wave&, Wave&, unsigned) {});
  }
}

/// On gfx8 these write VCC, under names that gfx9 has for what does not.
TEST(Gfx803, SumsHaveCarries) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"v_add_u32", "v_add_co_u32"},       {"v_sub_u32", "v_sub_co_u32"},
      {"v_subrev_u32", "v_subrev_co_u32"}, {"v_addc_u32", "v_addc_co_u32"},
      {"v_subb_u32", "v_subb_co_u32"},     {"v_subbrev_u32", "v_subbrev_co_u32"}};
  Machine machine(*find_processor("gfx803"));
  for (const auto& [here, there] : kNames) {
    const auto form = std::ranges::find_if(
        integer_forms(), [&](const VectorForm& it) { return std::string_view(it.name) == there; });
    ASSERT_NE(form, integer_forms().end());
    EXPECT_GT(run_vector_form(machine, *form, here), 20U) << here;
  }
}

/// What has the same name has the same meaning.
class OtherProcessors : public testing::TestWithParam<const char*> {};

TEST_P(OtherProcessors, DoWhatTheReferenceDoes) {
  Machine machine(*find_processor(GetParam()));
  unsigned count = 0;
  for (const auto forms : {integer_forms(), float_forms(), conversion_forms(), half_forms()}) {
    for (const VectorForm& form : forms) {
      const std::string_view name = form.name;
      const bool is_other = machine.processor().is_gfx8 &&
                            (name == "v_add_u32" || name == "v_sub_u32" || name == "v_subrev_u32");
      count += is_other ? 0 : run_vector_form(machine, form, name);
    }
  }
  EXPECT_GT(count, 2000U);
}

INSTANTIATE_TEST_SUITE_P(All, OtherProcessors, testing::Values("gfx900", "gfx803", "gfx90a"));

} // namespace
} // namespace gantry::simt::amdgcn
