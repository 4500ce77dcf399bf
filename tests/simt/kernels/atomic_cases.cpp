// Kernels of atomics.cu.
#include "kernel_case.h"

#include <algorithm>

namespace gantry::simt::testing {

namespace {

constexpr std::size_t kBlocks = 6;
constexpr std::size_t kThreads = 96;

/// What the threads with these values make of eight cells, in any order; `any_last` is the cell
/// that one of the values ends up in.
template <typename T, typename Unsigned>
void apply(std::vector<T>& cells, std::size_t first, const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = values[i];
    T* c = &cells[first];
    c[0] = static_cast<T>(static_cast<Unsigned>(c[0]) + static_cast<Unsigned>(value));
    c[1] = std::min(c[1], value);
    c[2] = std::max(c[2], value);
    c[3] = static_cast<T>(c[3] & ~(T{1} << value % 31));
    c[4] = static_cast<T>(c[4] | T{1} << value % 29);
    c[5] = static_cast<T>(c[5] ^ value);
    c[6] = static_cast<T>(static_cast<Unsigned>(c[6]) * 3 + 1);
  }
}

template <typename T, typename Unsigned>
Result integer_atomics(Driver& driver, const char* kernel, std::uint32_t seed) {
  Random random(seed);
  const auto values = Random::list<T>(kBlocks * kThreads, [&] { return random.wide_bits() >> 33; });
  const std::vector<T> start = {5, 1 << 30, 3, static_cast<T>(-1), 0, 77, 1, static_cast<T>(-9)};
  std::vector<T> global(start);
  std::vector<T> shared;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    shared.insert(shared.end(), start.begin(), start.end());
  }
  Module module(driver, ptx_of("atomics"));
  const DeviceBuffer buffer_global(driver, global);
  const DeviceBuffer buffer_shared(driver, shared);
  const DeviceBuffer buffer_values(driver, values);
  module.kernel(kernel).launch({{kBlocks}, {kThreads}}, buffer_global, buffer_shared,
                               buffer_values);

  apply<T, Unsigned>(global, 0, values.data(), values.size());
  for (std::size_t block = 0; block < kBlocks; ++block) {
    apply<T, Unsigned>(shared, block * 8, &values[block * kThreads], kThreads);
  }
  // Whose value the exchange leaves is the device's choice; that it is somebody's is what counts.
  std::vector<T> actual_global = buffer_global.download();
  std::vector<T> actual_shared = buffer_shared.download();
  const auto replace = [&](std::vector<T>& cells, std::size_t first, auto begin, auto end) {
    if (std::find(begin, end, cells[first + 7]) != end) {
      cells[first + 7] = start[7];
    }
  };
  replace(actual_global, 0, values.begin(), values.end());
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(block * kThreads);
    replace(actual_shared, block * 8, begin, begin + kThreads);
  }
  Result result;
  result.add("global", actual_global, global);
  result.add("shared", actual_shared, shared);
  return result;
}

/// `count` times atomicInc or atomicDec.
unsigned increments(unsigned value, unsigned limit, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    value = value >= limit ? 0 : value + 1;
  }
  return value;
}
unsigned decrements(unsigned value, unsigned limit, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    value = value == 0 || value > limit ? limit : value - 1;
  }
  return value;
}

} // namespace

GANTRY_KERNEL_CASE(atomics_int) {
  return integer_atomics<std::int32_t, std::uint32_t>(driver, "atomics_int", 91);
}

GANTRY_KERNEL_CASE(atomics_unsigned) {
  return integer_atomics<std::uint32_t, std::uint32_t>(driver, "atomics_uint", 92);
}

GANTRY_KERNEL_CASE(atomics_unsigned_long) {
  return integer_atomics<std::uint64_t, std::uint64_t>(driver, "atomics_ull", 93);
}

GANTRY_KERNEL_CASE(atomics_wrap) {
  Module module(driver, ptx_of("atomics"));
  const DeviceBuffer global(driver, std::vector<unsigned>{2, 20, 1});
  const DeviceBuffer<unsigned> results(driver, kBlocks * 4);
  module.kernel("atomics_wrap").launch({{kBlocks}, {kThreads}}, global, results);
  constexpr std::size_t kAll = kBlocks * kThreads;
  std::vector<unsigned> expected;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    expected.insert(expected.end(), {increments(3, 100, kThreads), decrements(3, 5, kThreads),
                                     3 - 2 * static_cast<unsigned>(kThreads), 0});
  }
  Result result;
  result.add("global", global.download(),
             std::vector<unsigned>{increments(2, 10, kAll), decrements(20, 7, kAll),
                                   1 - 3 * static_cast<unsigned>(kAll)});
  result.add("shared", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(atomics_floating) {
  Module module(driver, ptx_of("atomics"));
  const DeviceBuffer floats(driver, std::vector<float>(2 + kBlocks));
  const DeviceBuffer doubles(driver, std::vector<double>(1 + kBlocks));
  module.kernel("atomics_floating").launch({{kBlocks}, {kThreads}}, floats, doubles);
  constexpr double kSum = kBlocks * kThreads * (kBlocks * kThreads - 1.0) / 2;
  std::vector<float> expected_floats = {static_cast<float>(kSum * 0.25), 7.5F};
  std::vector<double> expected_doubles = {kSum * 0.125};
  constexpr auto kSixteens = static_cast<unsigned>(kThreads) / 16;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    expected_floats.push_back(0.5F + kSixteens * 120);
    expected_doubles.push_back(0.25 + kThreads * (kThreads - 1) / 4.0);
  }
  Result result;
  result.add("floats", floats.download(), expected_floats);
  result.add("doubles", doubles.download(), expected_doubles);
  return result;
}

GANTRY_KERNEL_CASE(atomics_results) {
  Module module(driver, ptx_of("atomics"));
  const DeviceBuffer counter(driver, std::vector<unsigned>(1));
  const DeviceBuffer drawn(driver, std::vector<unsigned>(kBlocks * kThreads));
  const DeviceBuffer shared_drawn(driver, std::vector<int>(kBlocks * kThreads));
  module.kernel("atomics_results").launch({{kBlocks}, {kThreads}}, counter, drawn, shared_drawn);
  Result result;
  result.add("counter", counter.download(), std::vector<unsigned>{2 * kBlocks * kThreads});
  result.add("drawn", drawn.download(), std::vector<unsigned>(kBlocks * kThreads, 1));
  result.add("shared_drawn", shared_drawn.download(), std::vector<int>(kBlocks * kThreads, 1));
  return result;
}

GANTRY_KERNEL_CASE(atomics_scopes) {
  Module module(driver, ptx_of("atomics"));
  const DeviceBuffer cells(driver, std::vector<unsigned>(7));
  module.kernel("atomics_scopes").launch({{1}, {kThreads}}, cells);
  Result result;
  result.add("cells", cells.download(),
             std::vector<unsigned>{kThreads, 2 * kThreads, kThreads - 1, 77, 3 * kThreads << 16,
                                   5 * kThreads, kThreads - 11});
  return result;
}

} // namespace gantry::simt::testing
