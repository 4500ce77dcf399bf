// Kernels of pipelines.ptx.
#include "kernel_case.h"

namespace gantry::simt::testing {

GANTRY_KERNEL_CASE(pipelines_stages) {
  constexpr std::uint32_t kSteps = 41;
  Random random(17);
  const auto input =
      Random::list<std::uint32_t>(std::size_t{kSteps} * 32, [&] { return random.bits(); });
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < input.size(); ++i) {
    expected.push_back(input[i ^ 1] * 3 + i / 32);
  }
  Module module(driver, ptx_of("pipelines"));
  const DeviceBuffer from(driver, input);
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(input.size()));
  module.kernel("stages").launch({{1}, {64}}, from, to, kSteps);
  Result result;
  result.add("output", to.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(pipelines_split_arrive) {
  constexpr std::uint32_t kThreads = 128;
  constexpr std::uint32_t kRounds = 9;
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    values.push_back(i);
  }
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const std::vector<std::uint32_t> before = values;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      values[i] = before[i] * 5 + before[(i + 33) % kThreads];
    }
  }
  Module module(driver, ptx_of("pipelines"));
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(kThreads));
  module.kernel("split_arrive").launch({{1}, {kThreads}}, to, kRounds);
  Result result;
  result.add("output", to.download(), values);
  return result;
}

GANTRY_KERNEL_CASE(pipelines_leavers) {
  constexpr std::uint32_t kThreads = 64;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    expected.push_back(i);
  }
  expected.back() = kThreads * (kThreads + 1) / 2;
  Module module(driver, ptx_of("pipelines"));
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(kThreads));
  module.kernel("leavers").launch({{1}, {kThreads}}, to);
  Result result;
  result.add("output", to.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(pipelines_bulk_ring) {
  constexpr std::uint32_t kBlocks = 3;
  constexpr std::uint32_t kSteps = 11;
  Random random(18);
  const auto input = Random::list<std::uint32_t>(std::size_t{kBlocks} * kSteps * 128,
                                                 [&] { return random.bits(); });
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < input.size(); ++i) {
    expected.push_back(input[i] * 7 + i / 128 % kSteps);
  }
  Module module(driver, ptx_of("pipelines"));
  const DeviceBuffer from(driver, input);
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(input.size()));
  module.kernel("bulk_ring").launch({{kBlocks}, {160}}, from, to, kSteps);
  Result result;
  result.add("output", to.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(pipelines_bulk_counts) {
  constexpr std::uint32_t kBlocks = 40;
  Random random(19);
  const auto input =
      Random::list<std::uint32_t>(std::size_t{kBlocks} * 64, [&] { return random.bits(); });
  std::vector<std::uint32_t> expected(64);
  for (const std::uint32_t value : input) {
    ++expected[value & 63];
  }
  Module module(driver, ptx_of("pipelines"));
  const DeviceBuffer from(driver, input);
  const DeviceBuffer to(driver, std::vector<std::uint32_t>(expected.size()));
  module.kernel("bulk_counts").launch({{kBlocks}, {64}}, from, to);
  Result result;
  result.add("counts", to.download(), expected);
  return result;
}

} // namespace gantry::simt::testing
