// Kernels of scan.cu, histogram.cu and sort.cu.
#include "kernel_case.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gantry::simt::testing {

namespace {

Result scan(Driver& driver, const char* kernel, bool inclusive) {
  constexpr std::size_t kBlock = 512;
  Random random(21);
  const auto values =
      Random::list<int>(kBlock * 3, [&] { return static_cast<int>(random.below(2001)) - 1000; });
  std::vector<int> expected(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int before = i % kBlock == 0 ? 0 : expected[i - 1] + (inclusive ? 0 : values[i - 1]);
    expected[i] = before + (inclusive ? values[i] : 0);
  }
  Module module(driver, ptx_of("scan"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> sums(driver, values.size());
  module.kernel(kernel).launch({{3}, {kBlock}}, buffer, sums);
  Result result;
  result.add("sums", sums.download(), expected);
  return result;
}

Result sort_blocks(Driver& driver, bool ascending) {
  Random random(ascending ? 31 : 32);
  const auto values = Random::list<std::uint32_t>(3072, [&] { return random.bits() >> 8; });
  std::vector<std::uint32_t> expected(values);
  for (auto block = expected.begin(); block != expected.end(); block += 1024) {
    if (ascending) {
      std::sort(block, block + 1024);
    } else {
      std::sort(block, block + 1024, std::greater<>());
    }
  }
  Module module(driver, ptx_of("sort"));
  const DeviceBuffer buffer(driver, values);
  module.kernel("bitonic_sort").launch({{3}, {512}}, buffer, ascending ? 1U : 0U);
  Result result;
  result.add("sorted", buffer.download(), expected);
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(scan_inclusive) {
  return scan(driver, "inclusive_scan", true);
}

GANTRY_KERNEL_CASE(scan_exclusive) {
  return scan(driver, "exclusive_scan", false);
}

GANTRY_KERNEL_CASE(scan_sweeps) {
  Random random(22);
  const auto values = Random::list<std::uint32_t>(512, [&] { return random.bits(); });
  std::vector<std::uint32_t> expected(512);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0U);
  Module module(driver, ptx_of("scan"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<std::uint32_t> sums(driver, 512);
  module.kernel("sweep_scan").launch({{1}, {256}}, buffer, sums);
  Result result;
  result.add("sums", sums.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(histogram_bytes) {
  Random random(23);
  const auto values = Random::list<std::uint8_t>(
      20000, [&] { return random.below(4) == 0 ? random.below(256) : random.below(20) + 60; });
  std::vector<std::uint32_t> expected(256);
  for (const std::uint8_t value : values) {
    ++expected[value];
  }
  Module module(driver, ptx_of("histogram"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer bins(driver, std::vector<std::uint32_t>(256));
  module.kernel("histogram").launch({{6}, {128}}, buffer, 20000U, bins);
  Result result;
  result.add("bins", bins.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(histogram_crowded) {
  Random random(24);
  const auto values = Random::list<std::uint8_t>(3000, [&] { return random.bits(); });
  std::vector<std::uint64_t> expected(4);
  for (const std::uint8_t value : values) {
    expected[value & 3] += std::uint64_t{value} << 20;
  }
  Module module(driver, ptx_of("histogram"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<std::uint64_t> sums(driver, 4);
  module.kernel("crowded").launch({{1}, {192}}, buffer, 3000U, sums);
  Result result;
  result.add("sums", sums.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(sort_ascending) {
  return sort_blocks(driver, true);
}

GANTRY_KERNEL_CASE(sort_descending) {
  return sort_blocks(driver, false);
}

GANTRY_KERNEL_CASE(sort_in_warps) {
  Random random(33);
  const auto values = Random::list<float>(256, [&] { return random.between(-50, 50); });
  std::vector<float> expected(values);
  for (auto warp = expected.begin(); warp != expected.end(); warp += 32) {
    std::sort(warp, warp + 32);
  }
  Module module(driver, ptx_of("sort"));
  const DeviceBuffer buffer(driver, values);
  module.kernel("warp_sort").launch({{2}, {128}}, buffer);
  Result result;
  result.add("sorted", buffer.download(), expected);
  return result;
}

} // namespace gantry::simt::testing
