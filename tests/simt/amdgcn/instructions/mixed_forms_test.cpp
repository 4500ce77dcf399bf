// Operations on floats and halves together, and sums of products.
#include "vector_form.h"

#include "../../instructions/number.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

namespace number = instructions;
using number::kHalf;
using number::kSingle;
using number::Round;
using Bits = std::uint64_t;

class Mixed : public testing::Test {
protected:
  /// Runs the line on the processor; `expected(before, lane)` is the result's register, and
  /// `agree(got, expected)` says whether it is right.
  void check(const char* processor, const std::string& line, auto expected, auto agree) {
    Machine machine(*find_processor(processor));
    const std::vector<Words> words = assemble(processor, {line});
    ASSERT_FALSE(words[0].empty()) << line;
    machine.load(words[0]);
    Wave& wave = machine.wave();
    for (unsigned round = 0; round < 4; ++round) {
      scramble(wave, random_);
      const LaneMask exec = round == 0 ? ~LaneMask{0} : random_();
      wave.set_pair(scalar::kExec, exec);
      for (unsigned row = 2; row < 5; ++row) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          wave.v[row][lane] = round % 2 == 0
                                  ? static_cast<std::uint32_t>(any_value('f', random_))
                                  : static_cast<std::uint32_t>(any_value('h', random_) << 16 |
                                                               any_value('h', random_));
        }
      }
      auto after = std::make_unique<Wave>(wave);
      ASSERT_EQ(machine.step(0), Next::kOn) << line << ": " << machine.report();
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (((exec >> lane) & 1) != 0) {
          const std::uint32_t exact = expected(*after, lane);
          ASSERT_TRUE(agree(wave.v[9][lane], exact)) << fmt::format(
              "{}, lane {}: {:#x} {:#x} {:#x} give {:#x}, expected {:#x}", line, lane,
              after->v[2][lane], after->v[3][lane], after->v[4][lane], wave.v[9][lane], exact);
          after->v[9][lane] = wave.v[9][lane];
        }
      }
      ASSERT_EQ(std::memcmp(wave.v, after->v, sizeof wave.v), 0) << line;
      ASSERT_EQ(std::memcmp(wave.s, after->s, sizeof wave.s), 0) << line;
    }
  }
  static std::string list(unsigned bits) {
    return fmt::format("[{},{},{}]", bits & 1, (bits >> 1) & 1, (bits >> 2) & 1);
  }
  /// Bits of IEEE 754's format at `place`, where any quiet NaN is as good as another.
  static auto agreeing(number::Format format, unsigned place) {
    return [=](std::uint32_t got, std::uint32_t exact) {
      const Bits mask = ((Bits{1} << format.width()) - 1) << place;
      const Bits one = (got & mask) >> place;
      const bool is_quiet = ((one >> (format.fraction_bits - 1)) & 1) != 0;
      const bool is_rest_same = ((got ^ exact) & ~mask) == 0;
      return got == exact || (is_rest_same && format.is_nan((exact & mask) >> place) &&
                              format.is_nan(one) && is_quiet);
    };
  }

  std::mt19937_64 random_{3};
};

Bits clamped(Bits bits, number::Format format) {
  return format.is_nan(bits) || (bits & format.sign()) != 0 ? 0 : std::min(bits, format.one());
}
Bits packed(const number::Number& value, number::Format format) {
  return number::packed(value, format, Round::kNearestEven);
}

TEST_F(Mixed, FloatsAndHalves) {
  struct Kind {
    const char* processor;
    const char* name;
    bool is_fused;
    int half; ///< of the result: none is a float
  };
  static constexpr Kind kKinds[] = {
      {"gfx906", "v_fma_mix_f32", true, -1},   {"gfx906", "v_fma_mixlo_f16", true, 0},
      {"gfx906", "v_fma_mixhi_f16", true, 1},  {"gfx90a", "v_fma_mix_f32", true, -1},
      {"gfx900", "v_mad_mix_f32", false, -1},  {"gfx900", "v_mad_mixlo_f16", false, 0},
      {"gfx900", "v_mad_mixhi_f16", false, 1},
  };
  for (const Kind& kind : kKinds) {
    for (unsigned round = 0; round < 128; ++round) {
      const unsigned halves = round & 7;
      const auto any = [&] { return static_cast<unsigned>(random_() & 7); };
      const unsigned chosen = any() & halves;
      const unsigned negate = any();
      const unsigned absolute = any();
      const bool clamp = round % 3 == 0;
      std::string line = std::string(kind.name) + " v9";
      for (unsigned i = 0; i < 3; ++i) {
        const std::string name = fmt::format("v{}", 2 + i);
        const bool is_absolute = ((absolute >> i) & 1) != 0;
        line += fmt::format(", {}{}", ((negate >> i) & 1) != 0 ? "-" : "",
                            is_absolute ? "|" + name + "|" : name);
      }
      line += " op_sel:" + list(chosen) + " op_sel_hi:" + list(halves) + (clamp ? " clamp" : "");
      const auto source = [&](const Wave& wave, unsigned lane, unsigned i) -> Bits {
        const auto has = [&](unsigned bits) { return ((bits >> i) & 1) != 0; };
        Bits bits = wave.v[2 + i][lane];
        if (has(halves)) {
          bits = packed(number::unpacked(has(chosen) ? bits >> 16 : bits & 0xffff, kHalf), kSingle);
        }
        bits = has(absolute) ? bits & 0x7fffffff : bits;
        return has(negate) ? bits ^ 0x80000000 : bits;
      };
      const auto flush = [&](Bits bits) { return kind.is_fused ? bits : kSingle.flushed(bits); };
      const auto value = [&](Bits bits) { return number::unpacked(flush(bits), kSingle); };
      check(
          kind.processor, line,
          [&](const Wave& wave, unsigned lane) {
            number::Number product =
                number::product(value(source(wave, lane, 0)), value(source(wave, lane, 1)));
            if (!kind.is_fused) {
              product = value(packed(product, kSingle));
            }
            Bits made = flush(packed(
                number::sum(product, value(source(wave, lane, 2)), Round::kNearestEven), kSingle));
            if (kind.half < 0) {
              return static_cast<std::uint32_t>(clamp ? clamped(made, kSingle) : made);
            }
            made = packed(number::unpacked(made, kSingle), kHalf);
            made = clamp ? clamped(made, kHalf) : made;
            const Bits old = wave.v[9][lane];
            return static_cast<std::uint32_t>(kind.half == 0 ? (old & 0xffff0000) | made
                                                             : (old & 0xffff) | made << 16);
          },
          kind.half < 0 ? agreeing(kSingle, 0)
                        : agreeing(kHalf, static_cast<unsigned>(16 * kind.half)));
    }
  }
}

TEST_F(Mixed, SumsOfProductsOfIntegers) {
  struct Kind {
    const char* processor;
    const char* name;
    unsigned bits;
    bool is_signed;
    bool accumulates;
  };
  static constexpr Kind kKinds[] = {
      {"gfx906", "v_dot2_i32_i16", 16, true, false}, {"gfx906", "v_dot2_u32_u16", 16, false, false},
      {"gfx906", "v_dot4_i32_i8", 8, true, false},   {"gfx906", "v_dot4_u32_u8", 8, false, false},
      {"gfx906", "v_dot8_i32_i4", 4, true, false},   {"gfx906", "v_dot8_u32_u4", 4, false, false},
      {"gfx90a", "v_dot2c_i32_i16", 16, true, true}, {"gfx90a", "v_dot4c_i32_i8", 8, true, true},
      {"gfx90a", "v_dot8c_i32_i4", 4, true, true},
  };
  for (const Kind& kind : kKinds) {
    for (const bool clamp : {false, true}) {
      if (clamp && kind.accumulates) {
        continue;
      }
      const std::string line = fmt::format("{} v9, v2, v3{}{}", kind.name,
                                           kind.accumulates ? "" : ", v4", clamp ? " clamp" : "");
      check(
          kind.processor, line,
          [&](const Wave& wave, unsigned lane) {
            const auto number = [&](std::uint64_t value, unsigned width) {
              const std::int64_t power = std::int64_t{1} << width;
              const auto reduced = static_cast<std::int64_t>(value) % power;
              return kind.is_signed && reduced >= power / 2 ? reduced - power : reduced;
            };
            std::int64_t sum = number(wave.v[kind.accumulates ? 9 : 4][lane], 32);
            for (unsigned i = 0; i < 32 / kind.bits; ++i) {
              sum += number(wave.v[2][lane] >> (i * kind.bits), kind.bits) *
                     number(wave.v[3][lane] >> (i * kind.bits), kind.bits);
            }
            if (clamp) {
              sum = kind.is_signed ? std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX)
                                   : std::clamp<std::int64_t>(sum, 0, UINT32_MAX);
            }
            return static_cast<std::uint32_t>(sum);
          },
          std::equal_to<>());
    }
  }
}

TEST_F(Mixed, SumsOfProductsOfHalves) {
  for (const bool accumulates : {false, true}) {
    for (unsigned round = 0; round < 16; ++round) {
      const bool clamp = !accumulates && round % 4 == 3;
      const auto low = accumulates ? 0U : static_cast<unsigned>(random_() & 3);
      const auto high = accumulates ? 0U : static_cast<unsigned>(random_() & 3);
      const std::string line =
          accumulates ? "v_dot2c_f32_f16 v9, v2, v3"
                      : fmt::format("v_dot2_f32_f16 v9, v2, v3, v4 neg_lo:{} neg_hi:{}{}",
                                    list(low), list(high), clamp ? " clamp" : "");
      check(
          accumulates ? "gfx90a" : "gfx906", line,
          [&](const Wave& wave, unsigned lane) {
            // Two roundings, the lower halves' product first.
            Bits sum = wave.v[accumulates ? 9 : 4][lane];
            for (unsigned part = 0; part < 2; ++part) {
              const unsigned negated = part == 0 ? low : high;
              const auto value = [&](unsigned i) {
                const Bits half = (wave.v[2 + i][lane] >> (16 * part)) & 0xffff;
                return number::unpacked(half ^ ((negated >> i) & 1) << 15, kHalf);
              };
              sum = packed(number::sum(number::product(value(0), value(1)),
                                       number::unpacked(sum, kSingle), Round::kNearestEven),
                           kSingle);
            }
            return static_cast<std::uint32_t>(clamp ? clamped(sum, kSingle) : sum);
          },
          agreeing(kSingle, 0));
    }
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
