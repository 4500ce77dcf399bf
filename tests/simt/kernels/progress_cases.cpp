// Kernels of spin_lock.cu, barriers.cu and time.cu: threads that wait for each other.
#include "kernel_case.h"

#include <algorithm>

namespace gantry::simt::testing {

GANTRY_KERNEL_CASE(spin_lock_in_loop) {
  Module module(driver, ptx_of("spin_lock"));
  const DeviceBuffer lock(driver, std::vector<int>(1));
  const DeviceBuffer counter(driver, std::vector<int>(1));
  const DeviceBuffer<int> order(driver, 32);
  module.kernel("lock_in_loop").launch({{1}, {32}}, lock, counter, order);
  std::vector<int> lanes = order.download();
  // Who comes first is the device's choice.
  std::sort(lanes.begin(), lanes.end());
  std::vector<int> expected(32);
  for (int i = 0; i < 32; ++i) {
    expected[static_cast<std::size_t>(i)] = i;
  }
  Result result;
  result.add("lanes", lanes, expected);
  result.add("counter", counter.download(), std::vector<int>{32});
  result.add("lock", lock.download(), std::vector<int>{0});
  return result;
}

GANTRY_KERNEL_CASE(spin_lock_in_function) {
  Module module(driver, ptx_of("spin_lock"));
  const DeviceBuffer lock(driver, std::vector<int>(1));
  const DeviceBuffer sum(driver, std::vector<std::int64_t>(1));
  module.kernel("lock_in_function").launch({{1}, {32}}, lock, sum);
  Result result;
  result.add("sum", sum.download(), std::vector<std::int64_t>{std::int64_t{3} * 32 * 33 / 2});
  return result;
}

GANTRY_KERNEL_CASE(spin_lock_with_sleep) {
  Module module(driver, ptx_of("spin_lock"));
  const DeviceBuffer lock(driver, std::vector<int>(1));
  const DeviceBuffer counter(driver, std::vector<int>(1));
  module.kernel("lock_with_sleep").launch({{4}, {64}}, lock, counter);
  Result result;
  result.add("counter", counter.download(), std::vector<int>{256});
  return result;
}

GANTRY_KERNEL_CASE(spin_lock_hand_over) {
  Module module(driver, ptx_of("spin_lock"));
  const DeviceBuffer flags(driver, std::vector<int>(2));
  const DeviceBuffer data(driver, std::vector<int>(3));
  module.kernel("hand_over").launch({{1}, {32}}, flags, data);
  Result result;
  result.add("data", data.download(), std::vector<int>{21, 42, 43});
  return result;
}

GANTRY_KERNEL_CASE(barriers_producer_consumer) {
  constexpr int kRounds = 9;
  std::vector<int> values(std::size_t{kRounds} * 64);
  std::vector<int> expected(64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(i * i % 1009);
    expected[63 - i % 64] += values[i] * 3;
  }
  Module module(driver, ptx_of("barriers"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> sums(driver, 64);
  module.kernel("producer_consumer").launch({{1}, {128}}, buffer, sums, kRounds);
  Result result;
  result.add("sums", sums.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(barriers_reductions) {
  std::vector<int> values(std::size_t{4} * 160);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(i * 7 % 500);
  }
  values[165] = -3; // of block 1
  values[400] = 777;
  std::vector<int> expected;
  for (std::size_t block = 0; block < 4; ++block) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(block * 160);
    expected.push_back(static_cast<int>(
        std::count_if(first, first + 160, [](int value) { return value % 3 == 0; })));
    expected.push_back(std::all_of(first, first + 160, [](int value) { return value >= 0; }) ? 1
                                                                                             : 0);
    expected.push_back(std::count(first, first + 160, 777) > 0 ? 1 : 0);
  }
  Module module(driver, ptx_of("barriers"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> results(driver, expected.size());
  module.kernel("barrier_reductions").launch({{4}, {160}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(barriers_early_exit) {
  const auto leaves = [](int t) { return t % 2 == 1 || (t >= 32 && t < 64); };
  int sum = 0;
  for (int t = 0; t < 128; ++t) {
    sum += leaves(t) ? -1 : t * 10;
  }
  std::vector<int> expected(128, -7);
  for (int t = 0; t < 128; ++t) {
    if (!leaves(t)) {
      expected[static_cast<std::size_t>(t)] = sum + t;
    }
  }
  Module module(driver, ptx_of("barriers"));
  const DeviceBuffer buffer(driver, std::vector<int>(128, -7));
  module.kernel("early_exit").launch({{1}, {128}}, buffer);
  Result result;
  result.add("values", buffer.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(barriers_in_function) {
  constexpr int kRounds = 5;
  constexpr std::size_t kThreads = 96;
  std::vector<int> values(kThreads * 12);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(i);
  }
  std::vector<int> expected(values);
  for (std::size_t block = 0; block < 12; ++block) {
    // Turns by 1, 2, 3 … add up.
    std::size_t turn = 0;
    for (std::size_t round = 0; round <= block % kRounds; ++round) {
      turn += round + 1;
    }
    for (std::size_t t = 0; t < kThreads; ++t) {
      expected[block * kThreads + t] = static_cast<int>(block * kThreads + (t + turn) % kThreads);
    }
  }
  Module module(driver, ptx_of("barriers"));
  const DeviceBuffer buffer(driver, values);
  module.kernel("barrier_in_function").launch({{12}, {kThreads}}, buffer, kRounds);
  Result result;
  result.add("values", buffer.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(time_clocks) {
  Module module(driver, ptx_of("time"));
  const DeviceBuffer<unsigned> good(driver, 64);
  module.kernel("clocks").launch({{2}, {32}}, good);
  Result result;
  result.add("good", good.download(), std::vector<unsigned>(64, 7));
  return result;
}

GANTRY_KERNEL_CASE(time_special_registers) {
  Module module(driver, ptx_of("time"));
  const DeviceBuffer<unsigned> results(driver, 96);
  module.kernel("special_registers").launch({{1}, {96}}, results, 3U);
  Result result;
  result.add("results", results.download(), std::vector<unsigned>(96, 15));
  return result;
}

} // namespace gantry::simt::testing
