// Products of matrices, of numbers whose sums are exact: where elements are in lanes and registers,
// by AMD's tables of the instructions' layouts, written here as what a lane's register is.
#include "operand.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

struct MatrixForm {
  const char* name;
  unsigned size, depth, blocks;
  char element;      ///< f, h, b: bfloat16, i: 8 bits, d
  unsigned elements; ///< of a lane
};
constexpr MatrixForm kForms[] = {
    {"v_mfma_f32_32x32x1f32", 32, 1, 2, 'f', 1},
    {"v_mfma_f32_16x16x1f32", 16, 1, 4, 'f', 1},
    {"v_mfma_f32_4x4x1f32", 4, 1, 16, 'f', 1},
    {"v_mfma_f32_32x32x2f32", 32, 2, 1, 'f', 1},
    {"v_mfma_f32_16x16x4f32", 16, 4, 1, 'f', 1},
    {"v_mfma_f32_32x32x4f16", 32, 4, 2, 'h', 4},
    {"v_mfma_f32_16x16x4f16", 16, 4, 4, 'h', 4},
    {"v_mfma_f32_4x4x4f16", 4, 4, 16, 'h', 4},
    {"v_mfma_f32_32x32x8f16", 32, 8, 1, 'h', 4},
    {"v_mfma_f32_16x16x16f16", 16, 16, 1, 'h', 4},
    {"v_mfma_f32_32x32x2bf16", 32, 2, 2, 'b', 2},
    {"v_mfma_f32_16x16x2bf16", 16, 2, 4, 'b', 2},
    {"v_mfma_f32_4x4x2bf16", 4, 2, 16, 'b', 2},
    {"v_mfma_f32_32x32x4bf16", 32, 4, 1, 'b', 2},
    {"v_mfma_f32_16x16x8bf16", 16, 8, 1, 'b', 2},
    {"v_mfma_f32_32x32x4bf16_1k", 32, 4, 2, 'b', 4},
    {"v_mfma_f32_16x16x4bf16_1k", 16, 4, 4, 'b', 4},
    {"v_mfma_f32_4x4x4bf16_1k", 4, 4, 16, 'b', 4},
    {"v_mfma_f32_32x32x8bf16_1k", 32, 8, 1, 'b', 4},
    {"v_mfma_f32_16x16x16bf16_1k", 16, 16, 1, 'b', 4},
    {"v_mfma_i32_32x32x4i8", 32, 4, 2, 'i', 4},
    {"v_mfma_i32_16x16x4i8", 16, 4, 4, 'i', 4},
    {"v_mfma_i32_4x4x4i8", 4, 4, 16, 'i', 4},
    {"v_mfma_i32_32x32x8i8", 32, 8, 1, 'i', 4},
    {"v_mfma_i32_16x16x16i8", 16, 16, 1, 'i', 4},
    {"v_mfma_f64_16x16x4f64", 16, 4, 1, 'd', 1},
    {"v_mfma_f64_4x4x4f64", 4, 4, 4, 'd', 1},
};

/// Small integers of each type.
class Matrices : public testing::TestWithParam<MatrixForm> {
protected:
  static constexpr unsigned kA = 8, kB = 16, kC = 64, kD = 128;

  [[nodiscard]] unsigned width() const {
    switch (form().element) {
    case 'd':
      return 64;
    case 'f':
      return 32;
    case 'i':
      return 8;
    default:
      return 16;
    }
  }
  [[nodiscard]] unsigned result_dwords() const { return form().element == 'd' ? 2 : 1; }
  [[nodiscard]] unsigned results() const {
    return form().size * form().size * form().blocks / kLanes;
  }
  static const MatrixForm& form() { return GetParam(); }

  [[nodiscard]] std::uint64_t encoded(int value) const {
    const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    switch (form().element) {
    case 'd':
      return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    case 'f':
      return single;
    case 'b':
      return single >> 16;
    case 'h': { // a power of two and a fraction, by hand
      if (value == 0) {
        return 0;
      }
      const auto magnitude = static_cast<unsigned>(std::abs(value));
      const auto power = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
      return (value < 0 ? 0x8000U : 0U) | (15 + power) << 10 |
             ((magnitude << (10 - power)) & 0x3ff);
    }
    default:
      return static_cast<std::uint8_t>(value);
    }
  }
  [[nodiscard]] std::uint64_t encoded_result(int value) const {
    return form().element == 'd'   ? std::bit_cast<std::uint64_t>(static_cast<double>(value))
           : form().element == 'i' ? static_cast<std::uint32_t>(value)
                                   : std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  void put(unsigned row, unsigned lane, unsigned index, unsigned bits, std::uint64_t value) {
    std::uint32_t words[2];
    for (unsigned i = 0; i < (bits + 31) / 32; ++i) {
      std::uint32_t& word = machine_.wave().v[row + index * bits / 32 + i][lane];
      const unsigned first = index * bits % 32;
      const auto mask = static_cast<std::uint32_t>((bits >= 32 ? ~0U : (1U << bits) - 1) << first);
      words[i] = static_cast<std::uint32_t>(value >> (32 * i)) << first;
      word = (word & ~mask) | (words[i] & mask);
    }
  }

  /// Fills A, B and C, runs the instruction, and compares D.
  void run(const std::string& line, unsigned a_row, unsigned b_row, unsigned c_row, unsigned d_row,
           bool constant_c) {
    const auto [name, size, depth, blocks, element, elements] = form();
    Wave& wave = machine_.wave();
    scramble(wave, random_);
    int a[32][32][16] = {};
    int b[32][32][16] = {};
    const auto any = [&] { return static_cast<int>(random_() % 15) - 7; };
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned index = 0; index < elements; ++index) {
        // Rows, then blocks, then groups of the depth follow each other from lane to lane.
        const unsigned i = lane % size;
        const unsigned block = lane / size % blocks;
        const unsigned k = lane / (size * blocks) * elements + index;
        put(a_row, lane, index, width(), encoded(a[i][k][block] = any()));
        put(b_row, lane, index, width(), encoded(b[i][k][block] = any()));
      }
    }
    std::vector<int> expected(std::size_t{results()} * kLanes);
    for (unsigned result = 0; result < results(); ++result) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        unsigned i = 0;
        const unsigned j = lane % size;
        unsigned block = 0;
        if (element == 'd') {
          i = size == 16 ? 4 * result + lane / 16 : lane / 16;
          block = size == 16 ? 0 : lane / 4 % 4;
        } else if (size == 4) {
          i = result;
          block = lane / 4;
        } else { // four rows in four registers, then the next lanes'
          const unsigned per_block = size * size / kLanes;
          const unsigned within = result % per_block;
          block = result / per_block;
          i = within / 4 * (4 * kLanes / size) + lane / size * 4 + within % 4;
        }
        int sum = constant_c ? 1 : any();
        if (!constant_c) {
          put(c_row, lane, result, 32 * result_dwords(), encoded_result(sum));
        }
        for (unsigned k = 0; k < depth; ++k) {
          sum += a[i][k][block] * b[j][k][block];
        }
        expected[result * kLanes + lane] = sum;
      }
    }
    wave.set_pair(scalar::kExec, 5); // which is not asked for
    const std::vector<Words> words = assemble("gfx90a", {line});
    ASSERT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    auto after = std::make_unique<Wave>(wave);
    ASSERT_EQ(machine_.step(0), Next::kOn) << line << ": " << machine_.report();
    for (unsigned result = 0; result < results(); ++result) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned row = d_row + result * result_dwords();
        std::uint64_t got = wave.v[row][lane];
        if (result_dwords() == 2) {
          got |= std::uint64_t{wave.v[row + 1][lane]} << 32;
        }
        ASSERT_EQ(got, encoded_result(expected[result * kLanes + lane]))
            << line << ", register " << result << ", lane " << lane;
        after->v[row][lane] = wave.v[row][lane];
        after->v[row + result_dwords() - 1][lane] = wave.v[row + result_dwords() - 1][lane];
      }
    }
    EXPECT_EQ(std::memcmp(wave.v, after->v, sizeof wave.v), 0) << line;
    EXPECT_EQ(std::memcmp(wave.s, after->s, sizeof wave.s), 0) << line;
  }
  [[nodiscard]] std::string line(char a_file, char b_file, char d_file, unsigned d,
                                 const std::string& c) const {
    const unsigned dwords = form().elements * width() / 32;
    return fmt::format("{} {}, {}, {}, {}", form().name,
                       registers(d_file, d, results() * result_dwords()),
                       registers(a_file, kA, dwords), registers(b_file, kB, dwords), c);
  }

  Machine machine_{*find_processor("gfx90a")};
  std::mt19937_64 random_{13};
};

TEST_P(Matrices, AreMultiplied) {
  const unsigned count = results() * result_dwords();
  constexpr unsigned kFirst = vector::kAccumulators;
  run(line('v', 'v', 'v', kD, registers('v', kC, count)), kA, kB, kC, kD, false);
  run(line('v', 'v', 'v', kC, registers('v', kC, count)), kA, kB, kC, kC, false);
  run(line('a', 'v', 'a', kD, registers('a', kC, count)), kFirst + kA, kB, kFirst + kC, kFirst + kD,
      false);
  run(line('v', 'a', 'v', kD, registers('v', kC, count)), kA, kFirst + kB, kC, kD, false);
  run(line('v', 'v', 'v', kD, form().element == 'i' ? "1" : "1.0"), kA, kB, kC, kD, true);
}

INSTANTIATE_TEST_SUITE_P(All, Matrices, testing::ValuesIn(kForms),
                         [](const auto& it) { return std::string(it.param.name); });

TEST(MatricesInOtherPlaces, AreRefused) {
  Machine machine(*find_processor("gfx90a"));
  for (const char* const line : {"v_mfma_f32_4x4x1f32 v[4:7], v8, v9, v[4:7] cbsz:1",
                                 "v_mfma_f32_4x4x1f32 v[4:7], v8, v9, v[4:7] blgp:2"}) {
    machine.load(assemble("gfx90a", {line})[0]);
    EXPECT_EQ(machine.step(0), Next::kFault) << line;
    EXPECT_NE(machine.report().find("in the place of others"), std::string::npos);
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
