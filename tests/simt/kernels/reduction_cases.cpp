// Kernels of reduction.cu.
#include "kernel_case.h"

#include <algorithm>
#include <numeric>

namespace gantry::simt::testing {

namespace {

std::vector<int> random_values(std::uint32_t seed, std::size_t count) {
  Random random(seed);
  return Random::list<int>(count, [&] { return static_cast<int>(random.below(20001)) - 10000; });
}

std::vector<int> sums_of_parts(const std::vector<int>& values, std::size_t part) {
  std::vector<int> sums;
  for (std::size_t i = 0; i < values.size(); i += part) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
    sums.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(part), 0));
  }
  return sums;
}

} // namespace

GANTRY_KERNEL_CASE(reduction_warp_sums) {
  const std::vector<int> values = random_values(11, 2048);
  Module module(driver, ptx_of("reduction"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> sums(driver, values.size() / 32);
  module.kernel("warp_sums").launch({{8}, {256}}, buffer, sums);
  Result result;
  result.add("sums", sums.download(), sums_of_parts(values, 32));
  return result;
}

GANTRY_KERNEL_CASE(reduction_butterfly) {
  Random random(12);
  const auto values = Random::list<double>(512, [&] { return random.between(-1000, 1000); });
  std::vector<double> largest(values.size());
  std::vector<std::int64_t> sums(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i / 32 * 32;
    largest[i] = *std::max_element(&values[first], &values[first] + 32);
    for (std::size_t k = first; k < first + 32; ++k) {
      sums[i] += static_cast<std::int64_t>(values[k] * 16);
    }
  }
  Module module(driver, ptx_of("reduction"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<double> buffer_largest(driver, values.size());
  const DeviceBuffer<std::int64_t> buffer_sums(driver, values.size());
  module.kernel("butterfly").launch({{4}, {128}}, buffer, buffer_largest, buffer_sums);
  Result result;
  result.add("largest", buffer_largest.download(), largest);
  result.add("sums", buffer_sums.download(), sums);
  return result;
}

GANTRY_KERNEL_CASE(reduction_shuffles) {
  Random random(13);
  const auto values = Random::list<int>(32, [&] { return random.below(1000); });
  std::vector<int> expected(256);
  for (int i = 0; i < 32; ++i) {
    const auto at = [&](int lane) { return values[static_cast<std::size_t>(lane)]; };
    // What a lane gets whose source is outside of its segment is its own value.
    std::vector<int> segment(values);
    for (int offset = 4; offset > 0; offset /= 2) {
      std::vector<int> next(segment);
      for (int lane = 0; lane < 32; ++lane) {
        const int source = lane % 8 + offset < 8 ? lane + offset : lane;
        next[static_cast<std::size_t>(lane)] += segment[static_cast<std::size_t>(source)];
      }
      segment = next;
    }
    const auto lane = static_cast<std::size_t>(i);
    expected[lane] = segment[lane];
    expected[32 + lane] = at((i + 5) % 32);
    expected[64 + lane] = at(at(i) & 31);
    expected[96 + lane] = at(i >= 3 ? i - 3 : i);
    expected[128 + lane] = at(i % 16 >= 1 ? i - 1 : i);
    expected[160 + lane] = at(i ^ 9);
    expected[192 + lane] = at(i / 4 * 4 + 2);
    expected[224 + lane] = i % 2 == 1 ? at(i + 2 < 32 ? i + 2 : i) : -1;
  }
  Module module(driver, ptx_of("reduction"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> results(driver, 256);
  module.kernel("shuffles").launch({{1}, {32}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(reduction_block_sums) {
  const std::vector<int> values = random_values(14, 10000);
  constexpr unsigned kBlocks = 5;
  constexpr unsigned kThreads = 256;
  std::vector<int> expected(kBlocks);
  for (std::size_t i = 0; i < values.size(); ++i) {
    expected[i / kThreads % kBlocks] += values[i];
  }
  Module module(driver, ptx_of("reduction"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> sums(driver, kBlocks);
  module.kernel("block_sums").launch({{kBlocks}, {kThreads}}, buffer, sums, 10000U);
  Result result;
  result.add("sums", sums.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(reduction_shared_tree) {
  const std::vector<int> values = random_values(15, 1024);
  std::vector<int> expected;
  for (std::size_t i = 0; i < values.size(); i += 256) {
    expected.push_back(*std::max_element(&values[i], &values[i] + 256));
  }
  Module module(driver, ptx_of("reduction"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> largest(driver, 4);
  module.kernel("shared_tree").launch({{4}, {256}}, buffer, largest);
  Result result;
  result.add("largest", largest.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(reduction_last_block) {
  constexpr unsigned kBlocks = 40;
  const std::vector<int> values = random_values(16, std::size_t{kBlocks} * 128);
  Module module(driver, ptx_of("reduction"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> sums(driver, kBlocks);
  Kernel kernel = module.kernel("last_block");
  std::vector<int> totals;
  // Twice, as the count of finished blocks starts again from zero.
  for (int round = 0; round < 2; ++round) {
    const DeviceBuffer total(driver, std::vector<int>{-1});
    kernel.launch({{kBlocks}, {128}}, buffer, sums, total);
    totals.push_back(total.download()[0]);
  }
  const int expected = std::accumulate(values.begin(), values.end(), 0);
  Result result;
  result.add("sums", sums.download(), sums_of_parts(values, 128));
  result.add("totals", totals, std::vector<int>{expected, expected});
  return result;
}

} // namespace gantry::simt::testing
