// Kernels of warp.cu and shapes.cu.
#include "kernel_case.h"

#include <algorithm>

namespace gantry::simt::testing {

namespace {

using Word = std::uint32_t;

/// The lanes of values[first … first + 32) for which `predicate` holds.
template <typename Predicate>
Word lanes_with(const std::vector<int>& values, std::size_t first, Predicate predicate) {
  Word lanes = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if (predicate(values[first + lane])) {
      lanes |= Word{1} << lane;
    }
  }
  return lanes;
}

constexpr Word kAll = 0xFFFFFFFF;

} // namespace

GANTRY_KERNEL_CASE(warp_votes) {
  Random random(61);
  auto values = Random::list<int>(192, [&] { return random.below(100); });
  values[40] = -1; // so that not all of warp 1 are positive
  std::fill(values.begin() + 64, values.begin() + 96, 2000);
  values[100] = 13;
  std::vector<Word> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i / 32 * 32;
    const int value = values[i];
    const auto where = [&](auto predicate) { return lanes_with(values, first, predicate); };
    const Word odd = where([](int other) { return other % 2 != 0; });
    const bool same = where([&](int other) { return other / 1000 == value / 1000; }) == kAll;
    expected.insert(
        expected.end(),
        {odd, where([](int other) { return other >= 0; }) == kAll ? 1U : 0U,
         where([](int other) { return other == 13; }) != 0 ? 1U : 0U,
         where([&](int other) { return other % 5 == value % 5; }), same ? kAll : 0, same ? 1U : 0U,
         // The 33 lowest bits of the shifted values are zero, the sign is in the others.
         where([&](int other) { return other == value; }), odd == 0 || odd == kAll ? 1U : 0U});
  }
  Module module(driver, ptx_of("warp"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("votes").launch({{3}, {64}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(warp_partial_votes) {
  Random random(62);
  auto values = Random::list<int>(32, [&] { return random.below(98); });
  values[21] = 99;
  const Word large = lanes_with(values, 0, [](int value) { return value > 50; });
  const bool any = lanes_with(values, 0, [](int value) { return value == 99; }) & 0xFFFF;
  std::vector<Word> expected(64);
  for (std::size_t t = 0; t < 32; ++t) {
    expected[t] = t % 3 == 0 ? large & 0x49249249 : t % 3 == 1 ? large & 0x92492492 : 0;
    expected[32 + t] = t < 16 ? (any ? 1 : 0) : 1;
  }
  Module module(driver, ptx_of("warp"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("partial_votes").launch({{1}, {32}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(warp_redux) {
  Random random(63);
  const auto values = Random::list<int>(32, [&] { return static_cast<int>(random.bits()); });
  const auto fold = [&](std::size_t first, std::size_t last, auto combine) {
    int folded = values[first];
    for (std::size_t i = first + 1; i < last; ++i) {
      folded = combine(folded, values[i]);
    }
    return folded;
  };
  const auto add = [](int a, int b) { return static_cast<int>(Word(a) + Word(b)); };
  const auto largest = [](int a, int b) { return std::max(a, b); };
  const int all[8] = {
      fold(0, 32, add),
      fold(0, 32, [](int a, int b) { return std::min(a, b); }),
      fold(0, 32, largest),
      fold(0, 32, [](int a, int b) { return static_cast<int>(std::min(Word(a), Word(b))); }),
      fold(0, 32, [](int a, int b) { return static_cast<int>(std::max(Word(a), Word(b))); }),
      fold(0, 32, [](int a, int b) { return a & b; }),
      fold(0, 32, [](int a, int b) { return a | b; }),
      fold(0, 32, [](int a, int b) { return a ^ b; })};
  std::vector<int> expected(288);
  for (std::size_t t = 0; t < 32; ++t) {
    for (std::size_t k = 0; k < 8; ++k) {
      expected[32 * k + t] = all[k];
    }
    expected[256 + t] = t < 8 ? fold(0, 8, add) : fold(8, 32, largest);
  }
  Module module(driver, ptx_of("warp"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> results(driver, expected.size());
  module.kernel("redux").launch({{1}, {32}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(warp_active_masks) {
  std::vector<Word> expected(96, 1);
  for (Word t = 0; t < 32; ++t) {
    expected[32 + t] = t;
    expected[64 + t] = (Word{1} << t) - 1;
  }
  Module module(driver, ptx_of("warp"));
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("active_masks").launch({{1}, {32}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(warp_barriers) {
  std::vector<int> expected(std::size_t{5} * 64);
  for (int round = 0; round < 5; ++round) {
    for (int t = 0; t < 64; ++t) {
      const int other = t / 32 * 32 + 31 - t % 32;
      expected[static_cast<std::size_t>(round) * 64 + static_cast<std::size_t>(t)] =
          round * (other % 32 < 16 ? 100 : 1000) + other;
    }
  }
  Module module(driver, ptx_of("warp"));
  const DeviceBuffer<int> results(driver, expected.size());
  module.kernel("warp_barriers").launch({{1}, {64}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(shapes_indices) {
  Module module(driver, ptx_of("shapes"));
  Kernel kernel = module.kernel("indices");
  Result result;
  const Shape shapes[] = {
      {{3, 2, 2}, {5, 7, 3}}, {{4}, {33}}, {{1, 5}, {1, 1, 50}}, {{2, 1, 3}, {40, 2}}};
  for (const auto& [grid, block, dynamic_shared, cooperative, cluster] : shapes) {
    std::vector<Word> expected;
    for (Word b = 0; b < grid.x * grid.y * grid.z; ++b) {
      for (Word t = 0; t < block.x * block.y * block.z; ++t) {
        expected.push_back(t % block.x | t / block.x % block.y << 8 |
                           t / (block.x * block.y) << 16 | t % 32 << 24);
        expected.push_back(b % grid.x | b / grid.x % grid.y << 8 | b / (grid.x * grid.y) << 16);
        expected.push_back(block.x * 10000 + block.y * 100 + block.z + grid.x * grid.y * grid.z);
      }
    }
    const DeviceBuffer<Word> results(driver, expected.size());
    kernel.launch({grid, block}, results);
    result.add("block_of_" + std::to_string(block.x), results.download(), expected);
  }
  return result;
}

GANTRY_KERNEL_CASE(shapes_partial_warp) {
  Module module(driver, ptx_of("shapes"));
  Kernel kernel = module.kernel("partial_warp");
  Result result;
  for (const Dimensions block :
       {Dimensions{7, 9}, Dimensions{45}, Dimensions{1}, Dimensions{32, 2}}) {
    const Word size = block.x * block.y;
    std::vector<Word> expected;
    for (Word t = 0; t < size; ++t) {
      const Word first = t / 32 * 32;
      Word votes = 0;
      for (Word other = first; other < std::min(first + 32, size); ++other) {
        votes |= other % 3 == 0 ? Word{1} << (other - first) : 0;
      }
      expected.push_back(votes ^ (first * 5) << 8 ^ size << 20);
    }
    const DeviceBuffer<Word> results(driver, size);
    kernel.launch({{1}, block}, results);
    result.add("threads_" + std::to_string(size), results.download(), expected);
  }
  return result;
}

GANTRY_KERNEL_CASE(shapes_transpose_3d) {
  constexpr int kX = 13;
  constexpr int kY = 10;
  constexpr int kZ = 7;
  std::vector<int> values(std::size_t{kX} * kY * kZ);
  std::vector<int> expected(values.size());
  for (int z = 0; z < kZ; ++z) {
    for (int y = 0; y < kY; ++y) {
      for (int x = 0; x < kX; ++x) {
        const int value = x * 10000 + y * 100 + z;
        values[(static_cast<std::size_t>(z) * kY + y) * kX + x] = value;
        expected[(static_cast<std::size_t>(x) * kY + y) * kZ + z] = value;
      }
    }
  }
  Module module(driver, ptx_of("shapes"));
  const DeviceBuffer from(driver, values);
  const DeviceBuffer<int> to(driver, values.size());
  module.kernel("transpose_3d").launch({{3, 4, 4}, {5, 3, 2}}, from, to, kX, kY, kZ);
  Result result;
  result.add("transposed", to.download(), expected);
  return result;
}

} // namespace gantry::simt::testing
