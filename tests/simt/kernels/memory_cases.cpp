// Kernels of memory_spaces.cu and system_calls.cu.
#include "captured_output.h"
#include "kernel_case.h"

#include <algorithm>
#include <sstream>

namespace gantry::simt::testing {

namespace {

constexpr int kTable[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

std::vector<char> characters(const std::string& text) {
  return {text.begin(), text.end()};
}

/// An order of 16 places.
std::vector<int> shuffled() {
  std::vector<int> order;
  for (int i = 0; i < 16; ++i) {
    order.push_back(i * 11 % 16);
  }
  return order;
}

} // namespace

GANTRY_KERNEL_CASE(memory_dynamic_shared) {
  constexpr int kDoubles = 50;
  constexpr int kThreads = 128;
  std::vector<double> values(kDoubles);
  for (int i = 0; i < kDoubles; ++i) {
    values[static_cast<std::size_t>(i)] = i * 1.25;
  }
  std::vector<double> expected(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    const int last = kThreads - 1 - t;
    expected[static_cast<std::size_t>(t)] =
        values[static_cast<std::size_t>(t * 7 % kDoubles)] * 2 + last * last + (t + 1) % 64;
  }
  Module module(driver, ptx_of("memory_spaces"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<double> results(driver, kThreads);
  const unsigned bytes = kDoubles * sizeof(double) + kThreads * sizeof(int);
  module.kernel("dynamic_shared").launch({{1}, {kThreads}, bytes}, buffer, results, kDoubles);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(memory_constants) {
  constexpr int kThreads = 48;
  const float scale = 0.75F;
  const char* const names[3] = {"zero", "one", "two"};
  std::vector<float> expected(kThreads);
  std::vector<int> expected_letters(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    expected[static_cast<std::size_t>(t)] = static_cast<float>(kTable[t % 16]) * scale + 1;
    expected_letters[static_cast<std::size_t>(t)] = static_cast<unsigned char>(names[t % 3][t % 2]);
  }
  Module module(driver, ptx_of("memory_spaces"));
  module.write("scale", scale);
  const DeviceBuffer<float> results(driver, kThreads);
  const DeviceBuffer<int> letters(driver, kThreads);
  Kernel kernel = module.kernel("constants");
  kernel.launch({{1}, {kThreads}}, results, letters);
  std::vector<int> counters = {module.read<int>("module_counter")};
  module.write("module_counter", 100);
  kernel.launch({{1}, {kThreads}}, results, letters);
  counters.push_back(module.read<int>("module_counter"));
  Result result;
  result.add("results", results.download(), expected);
  result.add("letters", letters.download(), expected_letters);
  result.add("counters", counters, std::vector<int>{8, 103});
  return result;
}

GANTRY_KERNEL_CASE(memory_local_arrays) {
  constexpr int kThreads = 64;
  const std::vector<int> order = shuffled();
  std::vector<int> expected(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    std::array<int, 16> local = {};
    std::array<std::int8_t, 24> bytes = {};
    for (std::size_t i = 0; i < 16; ++i) {
      local[static_cast<std::size_t>(order[i])] = static_cast<int>(i) * t;
    }
    for (int i = 0; i < 24; ++i) {
      bytes[static_cast<std::size_t>(i * 5 % 24)] = static_cast<std::int8_t>(i + t);
    }
    unsigned sum = 0;
    for (int i = 0; i < 16; ++i) {
      sum = sum * 3 +
            static_cast<unsigned>(
                local[static_cast<std::size_t>(order[static_cast<std::size_t>((i + t) % 16)])]);
    }
    for (int i = t % 24; i < 24; ++i) {
      sum += static_cast<unsigned>(bytes[static_cast<std::size_t>(i)]);
    }
    expected[static_cast<std::size_t>(t)] = static_cast<int>(sum);
  }
  Module module(driver, ptx_of("memory_spaces"));
  const DeviceBuffer buffer(driver, order);
  const DeviceBuffer<int> results(driver, kThreads);
  module.kernel("local_arrays").launch({{1}, {kThreads}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(memory_generic_pointers) {
  constexpr int kThreads = 64;
  std::vector<int> values(8);
  for (int i = 0; i < 8; ++i) {
    values[static_cast<std::size_t>(i)] = 7 * i + 1;
  }
  std::vector<int> expected(std::size_t{2} * kThreads);
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0;
    for (int i = 0; i < 1 + t % 8; ++i) {
      const int at[4] = {values[static_cast<std::size_t>(i)], 100 + i, t + i, kTable[i]};
      sum += at[t % 4];
    }
    expected[static_cast<std::size_t>(t)] = sum;
    expected[std::size_t{kThreads} + static_cast<std::size_t>(t)] = 1 + 2 + 4;
  }
  Module module(driver, ptx_of("memory_spaces"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> results(driver, expected.size());
  module.kernel("generic_pointers").launch({{1}, {kThreads}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(system_print) {
  Module module(driver, ptx_of("system_calls"));
  const DeviceBuffer text(driver, characters(std::string("from the host") + '\0'));
  const DeviceBuffer<int> counts(driver, 4);
  Kernel kernel = module.kernel("print");
  CapturedOutput output;
  kernel.launch({{1}, {32}}, text, counts);
  const std::string printed = output.finish();
  Result result;
  result.add("printed", characters(printed),
             characters("thread 1 of block 0: from the host\n"
                        " 3.14|-42   |00beef|q|1099511627776|%|1.234568e+04\n"
                        "no arguments\n"
                        "literal 4000000000 100 0.5 -7\n"));
  result.add("counts", counts.download(), std::vector<int>{3, 6, 0, 5});
  return result;
}

GANTRY_KERNEL_CASE(system_print_many) {
  Module module(driver, ptx_of("system_calls"));
  Kernel kernel = module.kernel("print_many");
  CapturedOutput output;
  kernel.launch({{3}, {64}}, 4);
  std::istringstream printed(output.finish());
  // Lines are whole; their order is the device's choice.
  std::vector<int> seen(std::size_t{3} * 64 * 4);
  int lines = 0;
  for (std::string line; std::getline(printed, line); ++lines) {
    std::istringstream numbers(line);
    std::size_t thread = 0;
    std::size_t turn = 0;
    numbers >> thread >> turn;
    if (numbers && turn < 4 && thread < 192) {
      ++seen[thread * 4 + turn];
    }
  }
  Result result;
  result.add("seen", seen, std::vector<int>(seen.size(), 1));
  result.add("lines", std::vector<int>{lines}, std::vector<int>{3 * 64 * 4});
  return result;
}

GANTRY_KERNEL_CASE(system_heap_lists) {
  constexpr int kThreads = 96;
  std::vector<int> expected(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i <= t % 10; ++i) {
      expected[static_cast<std::size_t>(t)] += t * 100 + i;
    }
  }
  Module module(driver, ptx_of("system_calls"));
  const DeviceBuffer<int> sums(driver, kThreads);
  module.kernel("heap_lists").launch({{1}, {kThreads}}, sums);
  Result result;
  result.add("sums", sums.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(system_heap_across_kernels) {
  constexpr int kThreads = 50;
  std::vector<int> expected(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i <= t; ++i) {
      expected[static_cast<std::size_t>(t)] += t + i;
    }
  }
  Module module(driver, ptx_of("system_calls"));
  const DeviceBuffer<CUdeviceptr> blocks(driver, kThreads);
  const DeviceBuffer<int> refused(driver, kThreads);
  const DeviceBuffer<int> sums(driver, kThreads);
  module.kernel("heap_allocate").launch({{1}, {kThreads}}, blocks, refused);
  std::vector<CUdeviceptr> addresses = blocks.download();
  module.kernel("heap_free").launch({{1}, {kThreads}}, blocks, sums);
  std::sort(addresses.begin(), addresses.end());
  const bool distinct = std::adjacent_find(addresses.begin(), addresses.end()) == addresses.end();
  Result result;
  result.add("sums", sums.download(), expected);
  result.add("refused", refused.download(), std::vector<int>(kThreads, 1));
  result.add("distinct", std::vector<int>{distinct ? 1 : 0}, std::vector<int>{1});
  return result;
}

} // namespace gantry::simt::testing
