// Kernels of clusters.ptx.
#include "kernel_case.h"

namespace gantry::simt::testing {

namespace {

Shape clusters(Dimensions grid, Dimensions block, Dimensions cluster) {
  Shape shape;
  shape.grid = grid;
  shape.block = block;
  shape.cluster = cluster;
  return shape;
}

Result registers(Driver& driver, Dimensions grid, Dimensions cluster) {
  const bool is_explicit = cluster.x != 0;
  const Dimensions size = is_explicit ? cluster : Dimensions{1, 1, 1};
  std::vector<std::uint32_t> expected;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        const unsigned rank = (z % size.z * size.y + y % size.y) * size.x + x % size.x;
        for (const unsigned word :
             {x / size.x, y / size.y, z / size.z, grid.x / size.x, grid.y / size.y, grid.z / size.z,
              x % size.x, y % size.y, z % size.z, size.x, size.y, size.z, rank,
              size.x * size.y * size.z, is_explicit ? 1U : 0U, 0U}) {
          expected.push_back(word);
        }
      }
    }
  }
  Module module(driver, ptx_of("clusters"));
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(expected.size()));
  module.kernel("registers").launch(clusters(grid, {1, 1, 1}, cluster), to);
  Result result;
  result.add("output", to.download(), expected);
  return result;
}

/// The sum of each cluster's numbers, of `blocks` blocks.
Result sum_of_clusters(Driver& driver, unsigned blocks, unsigned threads, unsigned cluster,
                       const Shape& shape) {
  Random random(23);
  const auto input =
      Random::list<std::uint32_t>(std::size_t{blocks} * threads, [&] { return random.bits(); });
  std::vector<std::uint32_t> expected(blocks / cluster);
  for (std::size_t i = 0; i < input.size(); ++i) {
    expected[i / threads / cluster] += input[i];
  }
  Module module(driver, ptx_of("clusters"));
  const DeviceBuffer from(driver, input);
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(expected.size()));
  module.kernel("sum").launch(shape, from, to);
  Result result;
  result.add("output", to.download(), expected);
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(clusters_registers) {
  return registers(driver, {6, 4, 2}, {3, 1, 2});
}

GANTRY_KERNEL_CASE(clusters_registers_without) {
  return registers(driver, {3, 2, 1}, {0, 0, 0});
}

GANTRY_KERNEL_CASE(clusters_sum) {
  return sum_of_clusters(driver, 24, 96, 4, clusters({24}, {96}, {4, 1, 1}));
}

// A launch that gives no clusters: each block is one.
GANTRY_KERNEL_CASE(clusters_sum_of_blocks) {
  return sum_of_clusters(driver, 5, 64, 1, {{5}, {64}});
}

GANTRY_KERNEL_CASE(clusters_histogram) {
  Random random(25);
  const auto input = Random::list<std::uint32_t>(5000, [&] { return random.below(1 << 16); });
  std::vector<std::uint32_t> expected(256);
  for (const std::uint32_t value : input) {
    ++expected[value & 255];
  }
  Module module(driver, ptx_of("clusters"));
  const DeviceBuffer from(driver, input);
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(expected.size()));
  module.kernel("histogram")
      .launch(clusters({8}, {64}, {8, 1, 1}), from, to, static_cast<std::uint32_t>(input.size()));
  Result result;
  result.add("bins", to.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(clusters_ring) {
  constexpr std::uint32_t kBlocks = 12;
  constexpr std::uint32_t kRounds = 7;
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < kBlocks * 64; ++i) {
    values.push_back(i);
  }
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const std::vector<std::uint32_t> before = values;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      const std::uint32_t block = i / 64;
      const std::uint32_t from = block / 4 * 4 + (block + 3) % 4;
      values[i] = before[from * 64 + i % 64] * 3 + i % 64;
    }
  }
  Module module(driver, ptx_of("clusters"));
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(values.size()));
  module.kernel("ring").launch({{kBlocks}, {64}}, to, kRounds);
  Result result;
  result.add("output", to.download(), values);
  return result;
}

GANTRY_KERNEL_CASE(clusters_spread) {
  constexpr std::uint32_t kClusters = 3;
  Random random(26);
  const auto input =
      Random::list<std::uint32_t>(std::size_t{kClusters} * 64, [&] { return random.bits(); });
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < kClusters * 4 * 64; ++i) {
    expected.push_back(i / 64 % 4 == 1 ? 0 : input[i / 256 * 64 + i % 64]);
  }
  Module module(driver, ptx_of("clusters"));
  const DeviceBuffer from(driver, input);
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(expected.size()));
  module.kernel("spread").launch(clusters({kClusters * 4}, {64}, {4, 1, 1}), from, to);
  Result result;
  result.add("output", to.download(), expected);
  return result;
}

} // namespace gantry::simt::testing
