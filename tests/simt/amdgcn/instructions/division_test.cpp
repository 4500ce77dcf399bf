// Division and square root as Clang's code for gfx906 has them: steps whose result is the exact
// one, rounded to nearest.
#include "operand.h"

#include "../../instructions/number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

namespace number = instructions;
using number::Number;

class Division : public testing::Test {
protected:
  static constexpr unsigned kRounds = 600;

  /// Runs the lines on v0 … of each lane.
  void load(const std::vector<std::string>& lines) {
    Words code;
    for (const Words& words : assemble("gfx906", lines)) {
      ASSERT_FALSE(words.empty());
      code.insert(code.end(), words.begin(), words.end());
    }
    size_ = code.size();
    machine_.load(code);
  }
  void set(unsigned row, unsigned lane, std::uint64_t value, bool is_wide) {
    machine_.wave().v[row][lane] = static_cast<std::uint32_t>(value);
    if (is_wide) {
      machine_.wave().v[row + 1][lane] = static_cast<std::uint32_t>(value >> 32);
    }
  }
  [[nodiscard]] std::uint64_t get(unsigned lane, bool is_wide) const {
    return machine_.wave().v[0][lane] |
           (is_wide ? std::uint64_t{machine_.wave().v[1][lane]} << 32 : 0);
  }
  /// Numbers of all sizes: whatever bits, edges, and neighbours of each other.
  std::uint64_t value(number::Format format) {
    const std::uint64_t bits = random_();
    const auto& edges = edges_of(format.width() == 64 ? 'd' : 'f');
    switch (random_() % 6) {
    case 0:
      return edges[bits % edges.size()];
    case 1: // denormal, or nearly so
      return low_bits(bits, static_cast<unsigned>(format.fraction_bits) + 2) |
             ((bits >> 63) != 0 ? format.sign() : 0);
    case 2: // near 1
      return format.one() + low_bits(bits, static_cast<unsigned>(format.fraction_bits) + 1);
    default:
      return low_bits(bits, static_cast<unsigned>(format.width()));
    }
  }

  void divide(number::Format format) {
    const bool is_wide = format.width() == 64;
    for (unsigned round = 0; round < kRounds; ++round) {
      std::uint64_t a[kLanes];
      std::uint64_t b[kLanes];
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        set(0, lane, a[lane] = value(format), is_wide);
        set(is_wide ? 2 : 1, lane, b[lane] = value(format), is_wide);
      }
      run();
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const Number exact =
            number::quotient(number::unpacked(a[lane], format), number::unpacked(b[lane], format));
        expect(lane, number::packed(exact, format, number::Round::kNearestEven), format,
               fmt::format("{:#x} / {:#x}", a[lane], b[lane]));
      }
      if (HasFailure()) {
        return;
      }
    }
  }
  void take_roots(number::Format format) {
    for (unsigned round = 0; round < kRounds; ++round) {
      std::uint64_t a[kLanes];
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        set(0, lane, a[lane] = value(format), format.width() == 64);
      }
      run();
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const Number exact = number::square_root(number::unpacked(a[lane], format));
        expect(lane, number::packed(exact, format, number::Round::kNearestEven), format,
               fmt::format("root of {:#x}", a[lane]));
      }
      if (HasFailure()) {
        return;
      }
    }
  }

private:
  void run() {
    // A lane, some of them, and all.
    machine_.wave().set_pair(scalar::kExec, ~LaneMask{0});
    ASSERT_EQ(machine_.run(0, size_), Next::kOn) << machine_.report();
  }
  void expect(unsigned lane, std::uint64_t expected, number::Format format,
              const std::string& what) {
    const std::uint64_t got = get(lane, format.width() == 64);
    if (format.is_nan(expected)) {
      EXPECT_TRUE(format.is_nan(got)) << what << fmt::format(" is {:#x}", got);
    } else {
      EXPECT_EQ(got, expected) << what << fmt::format(" is {:#x}, not {:#x}", got, expected);
    }
  }

  Machine machine_{*find_processor("gfx906")};
  std::mt19937_64 random_{1};
  std::size_t size_ = 0;
};

TEST_F(Division, OfSinglesIsExact) {
  load({"v_div_scale_f32 v2, s[4:5], v1, v1, v0", "v_div_scale_f32 v3, vcc, v0, v1, v0",
        "v_rcp_f32_e32 v4, v2", "v_fma_f32 v5, -v2, v4, 1.0", "v_fmac_f32_e32 v4, v5, v4",
        "v_mul_f32_e32 v5, v3, v4", "v_fma_f32 v6, -v2, v5, v3", "v_fmac_f32_e32 v5, v6, v4",
        "v_fma_f32 v2, -v2, v5, v3", "v_div_fmas_f32 v2, v2, v4, v5",
        "v_div_fixup_f32 v0, v2, v1, v0"});
  divide(number::kSingle);
}

TEST_F(Division, OfDoublesIsExact) {
  load({"v_div_scale_f64 v[4:5], s[4:5], v[2:3], v[2:3], v[0:1]", "v_rcp_f64_e32 v[6:7], v[4:5]",
        "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0", "v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]",
        "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]",
        "v_fma_f64 v[10:11], -v[4:5], v[6:7], 1.0", "v_fma_f64 v[6:7], v[6:7], v[10:11], v[6:7]",
        "v_mul_f64 v[10:11], v[8:9], v[6:7]", "v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]",
        "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]",
        "v_div_fixup_f64 v[0:1], v[4:5], v[2:3], v[0:1]"});
  divide(number::kDouble);
}

TEST_F(Division, RootOfSinglesIsExact) {
  load({"s_mov_b32 s4, 0xf800000", "v_mul_f32_e32 v1, 0x4f800000, v0",
        "v_cmp_gt_f32_e32 vcc, s4, v0", "v_cndmask_b32_e32 v0, v0, v1, vcc",
        "v_sqrt_f32_e32 v1, v0", "v_add_u32_e32 v2, -1, v1", "v_fma_f32 v3, -v2, v1, v0",
        "v_cmp_ge_f32_e64 s[4:5], 0, v3", "v_add_u32_e32 v3, 1, v1",
        "v_cndmask_b32_e64 v2, v1, v2, s[4:5]", "v_fma_f32 v1, -v3, v1, v0",
        "v_cmp_lt_f32_e64 s[4:5], 0, v1", "v_cndmask_b32_e64 v1, v2, v3, s[4:5]",
        "v_mul_f32_e32 v2, 0x37800000, v1", "v_cndmask_b32_e32 v1, v1, v2, vcc",
        "v_mov_b32_e32 v2, 0x260", "v_cmp_class_f32_e32 vcc, v0, v2",
        "v_cndmask_b32_e32 v0, v1, v0, vcc"});
  take_roots(number::kSingle);
}

TEST_F(Division, RootOfDoublesIsExact) {
  load({"s_mov_b32 s4, 0",
        "s_brev_b32 s5, 8",
        "v_cmp_gt_f64_e32 vcc, s[4:5], v[0:1]",
        "v_mov_b32_e32 v2, 0x100",
        "v_cndmask_b32_e32 v2, 0, v2, vcc",
        "v_ldexp_f64 v[0:1], v[0:1], v2",
        "v_rsq_f64_e32 v[2:3], v[0:1]",
        "v_mul_f64 v[4:5], v[0:1], v[2:3]",
        "v_mul_f64 v[2:3], v[2:3], 0.5",
        "v_fma_f64 v[6:7], -v[2:3], v[4:5], 0.5",
        "v_fma_f64 v[4:5], v[4:5], v[6:7], v[4:5]",
        "v_fma_f64 v[2:3], v[2:3], v[6:7], v[2:3]",
        "v_fma_f64 v[6:7], -v[4:5], v[4:5], v[0:1]",
        "v_fma_f64 v[4:5], v[6:7], v[2:3], v[4:5]",
        "v_fma_f64 v[6:7], -v[4:5], v[4:5], v[0:1]",
        "v_fma_f64 v[2:3], v[6:7], v[2:3], v[4:5]",
        "v_mov_b32_e32 v4, 0xffffff80",
        "v_mov_b32_e32 v5, 0x260",
        "v_cndmask_b32_e32 v4, 0, v4, vcc",
        "v_cmp_class_f64_e32 vcc, v[0:1], v5",
        "v_ldexp_f64 v[2:3], v[2:3], v4",
        "v_cndmask_b32_e32 v0, v2, v0, vcc",
        "v_cndmask_b32_e32 v1, v3, v1, vcc"});
  take_roots(number::kDouble);
}

} // namespace
} // namespace gantry::simt::amdgcn
