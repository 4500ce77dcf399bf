// Products of matrices over a whole wave, of gfx90a: D = A B + C, of one block or several. No lane
// is left out, whatever EXEC is. How hardware rounds within a sum, no document says; here each
// product is added in one rounding, in the order of k.
#include "simt/amdgcn/exec/half.h"
#include "simt/amdgcn/exec/ieee.h"
#include "simt/amdgcn/exec/meanings.h"

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

struct Bfloat {};

/// The element number `index` of a lane's row of them in registers from `row` on.
template <typename T>
auto element(const Wave& wave, unsigned row, unsigned lane, unsigned index) {
  if constexpr (std::is_same_v<T, f64>) {
    return Lanes<f64>{&wave.v[row + 2 * index]}[lane];
  } else if constexpr (std::is_same_v<T, f32>) {
    return std::bit_cast<f32>(wave.v[row + index][lane]);
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return static_cast<i32>(
        static_cast<std::int8_t>(wave.v[row + index / 4][lane] >> (index % 4 * 8)));
  } else {
    const u32 bits = (wave.v[row + index / 2][lane] >> (index % 2 * 16)) & 0xffff;
    if constexpr (std::is_same_v<T, Bfloat>) {
      return std::bit_cast<f32>(bits << 16);
    } else {
      return half::wide(half::from(bits));
    }
  }
}

f64 multiplied_added(f64 a, f64 b, f64 c) {
  return fused(a, b, c);
}
f32 multiplied_added(f32 a, f32 b, f32 c) {
  return fused(a, b, c);
}
i32 multiplied_added(i32 a, i32 b, i32 c) {
  return static_cast<i32>(static_cast<u32>(a * b) + static_cast<u32>(c));
}

/// Elements of T, results of D; blocks of kSize × kSize results, each of kDepth products.
template <typename T, typename D, unsigned kSize, unsigned kDepth, unsigned kBlocks>
struct Shape {
  static constexpr unsigned kOfLane = kSize * kDepth * kBlocks / kLanes; ///< elements
  static constexpr unsigned kResults = kSize * kSize * kBlocks / kLanes; ///< of a lane
  static constexpr unsigned kBitsOfElement = std::is_same_v<T, f64>           ? 64
                                             : std::is_same_v<T, f32>         ? 32
                                             : std::is_same_v<T, std::int8_t> ? 8
                                                                              : 16;

  /// A's row i, or B's column i.
  static auto source(const Wave& wave, unsigned row, unsigned i, unsigned k, unsigned block) {
    const unsigned lane = i + kSize * (block + kBlocks * (k / kOfLane));
    return element<T>(wave, row, lane, k % kOfLane);
  }
  struct Place {
    unsigned lane, result;
  };
  static Place place(unsigned i, unsigned j, unsigned block) {
    if constexpr (sizeof(D) == 8) {
      return kSize == 16 ? Place{j + 16 * (i % 4), i / 4} : Place{j + 4 * block + 16 * i, 0};
    } else if constexpr (kSize == 32) {
      return {j + 32 * (i / 4 % 2), 16 * block + 4 * (i / 8) + i % 4};
    } else if constexpr (kSize == 16) {
      return {j + 16 * (i / 4), 4 * block + i % 4};
    } else {
      return {j + 4 * block, i};
    }
  }
};

template <typename T, typename D, unsigned kSize, unsigned kDepth, unsigned kBlocks>
Next multiply(Wave& wave, const Instruction& instruction) {
  using S = Shape<T, D, kSize, kDepth, kBlocks>;
  const unsigned a = instruction.sources[0].index;
  const unsigned b = instruction.sources[1].index;
  const Source& addend = instruction.sources[2];
  D made[S::kResults][kLanes];
  for (unsigned block = 0; block < kBlocks; ++block) {
    for (unsigned i = 0; i < kSize; ++i) {
      for (unsigned j = 0; j < kSize; ++j) {
        const auto [lane, result] = S::place(i, j, block);
        Source source = addend;
        source.index += static_cast<u16>(result * (sizeof(D) / 4));
        D sum = lane_source<D>(wave, source, lane);
        for (unsigned k = 0; k < kDepth; ++k) {
          sum = multiplied_added(S::source(wave, a, i, k, block), S::source(wave, b, j, k, block),
                                 sum);
        }
        made[result][lane] = sum;
      }
    }
  }
  for (unsigned result = 0; result < S::kResults; ++result) {
    set_lanes(wave, instruction.result + result * (sizeof(D) / 4), made[result], ~LaneMask{0});
  }
  return Next::kOn;
}

constexpr Type registers(unsigned count) {
  switch (count) {
  case 1:
    return Type::kB32;
  case 2:
    return Type::kB64;
  case 4:
    return Type::kB128;
  case 8:
    return Type::kB256;
  case 16:
    return Type::kB512;
  default:
    return Type::kB1024;
  }
}

template <typename T, typename D, unsigned kSize, unsigned kDepth, unsigned kBlocks>
constexpr Meaning matrix_meaning() {
  using S = Shape<T, D, kSize, kDepth, kBlocks>;
  Meaning meaning;
  meaning.run = multiply<T, D, kSize, kDepth, kBlocks>;
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = registers(S::kResults * (sizeof(D) / 4));
  meaning.sources[0] = meaning.sources[1] = registers(S::kOfLane * S::kBitsOfElement / 32);
  meaning.sources[2] = meaning.result;
  meaning.packs = sizeof(D) == 8 ? Meaning::Packs::kDoubleMatrix : Meaning::Packs::kMatrix;
  meaning.exact = true;
  return meaning;
}

using i8 = std::int8_t;
constexpr MeaningEntry kMeanings[] = {
    {"v_mfma_f32_32x32x1f32", matrix_meaning<f32, f32, 32, 1, 2>()},
    {"v_mfma_f32_16x16x1f32", matrix_meaning<f32, f32, 16, 1, 4>()},
    {"v_mfma_f32_4x4x1f32", matrix_meaning<f32, f32, 4, 1, 16>()},
    {"v_mfma_f32_32x32x2f32", matrix_meaning<f32, f32, 32, 2, 1>()},
    {"v_mfma_f32_16x16x4f32", matrix_meaning<f32, f32, 16, 4, 1>()},
    {"v_mfma_f32_32x32x4f16", matrix_meaning<f16, f32, 32, 4, 2>()},
    {"v_mfma_f32_16x16x4f16", matrix_meaning<f16, f32, 16, 4, 4>()},
    {"v_mfma_f32_4x4x4f16", matrix_meaning<f16, f32, 4, 4, 16>()},
    {"v_mfma_f32_32x32x8f16", matrix_meaning<f16, f32, 32, 8, 1>()},
    {"v_mfma_f32_16x16x16f16", matrix_meaning<f16, f32, 16, 16, 1>()},
    {"v_mfma_f32_32x32x2bf16", matrix_meaning<Bfloat, f32, 32, 2, 2>()},
    {"v_mfma_f32_16x16x2bf16", matrix_meaning<Bfloat, f32, 16, 2, 4>()},
    {"v_mfma_f32_4x4x2bf16", matrix_meaning<Bfloat, f32, 4, 2, 16>()},
    {"v_mfma_f32_32x32x4bf16", matrix_meaning<Bfloat, f32, 32, 4, 1>()},
    {"v_mfma_f32_16x16x8bf16", matrix_meaning<Bfloat, f32, 16, 8, 1>()},
    {"v_mfma_f32_32x32x4bf16_1k", matrix_meaning<Bfloat, f32, 32, 4, 2>()},
    {"v_mfma_f32_16x16x4bf16_1k", matrix_meaning<Bfloat, f32, 16, 4, 4>()},
    {"v_mfma_f32_4x4x4bf16_1k", matrix_meaning<Bfloat, f32, 4, 4, 16>()},
    {"v_mfma_f32_32x32x8bf16_1k", matrix_meaning<Bfloat, f32, 32, 8, 1>()},
    {"v_mfma_f32_16x16x16bf16_1k", matrix_meaning<Bfloat, f32, 16, 16, 1>()},
    {"v_mfma_i32_32x32x4i8", matrix_meaning<i8, i32, 32, 4, 2>()},
    {"v_mfma_i32_16x16x4i8", matrix_meaning<i8, i32, 16, 4, 4>()},
    {"v_mfma_i32_4x4x4i8", matrix_meaning<i8, i32, 4, 4, 16>()},
    {"v_mfma_i32_32x32x8i8", matrix_meaning<i8, i32, 32, 8, 1>()},
    {"v_mfma_i32_16x16x16i8", matrix_meaning<i8, i32, 16, 16, 1>()},
    {"v_mfma_f64_16x16x4f64", matrix_meaning<f64, f64, 16, 4, 1>()},
    {"v_mfma_f64_4x4x4f64", matrix_meaning<f64, f64, 4, 4, 4>()},
};

} // namespace

std::span<const MeaningEntry> matrix_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
