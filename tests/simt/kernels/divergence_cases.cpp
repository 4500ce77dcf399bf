// Kernels of mandelbrot.cu and calls.cu: lanes that go different ways.
#include "kernel_case.h"

namespace gantry::simt::testing {

namespace {

unsigned mandelbrot_steps(float x, float y, unsigned limit) {
  float a = 0;
  float b = 0;
  unsigned count = 0;
  while (count < limit) {
    const float aa = a * a;
    const float bb = b * b;
    const float square = aa + bb;
    if (square > 4.0F) {
      break;
    }
    const float twice = 2 * a;
    const float product = twice * b;
    b = product + y;
    const float less = aa - bb;
    a = less + x;
    ++count;
  }
  return count;
}

int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int ackermann(int m, int n) {
  if (m == 0) {
    return n + 1;
  }
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

} // namespace

GANTRY_KERNEL_CASE(mandelbrot_picture) {
  constexpr int kWidth = 61;
  constexpr int kHeight = 43;
  constexpr int kLimit = 200;
  constexpr float kLeft = -2.1F;
  constexpr float kTop = -1.3F;
  constexpr float kStep = 0.0517F;
  std::vector<unsigned> expected(std::size_t{kWidth} * kHeight);
  for (int row = 0; row < kHeight; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      const float right = static_cast<float>(column) * kStep;
      const float down = static_cast<float>(row) * kStep;
      expected[static_cast<std::size_t>(row) * kWidth + static_cast<std::size_t>(column)] =
          mandelbrot_steps(kLeft + right, kTop + down, kLimit);
    }
  }
  Module module(driver, ptx_of("mandelbrot"));
  const DeviceBuffer<unsigned> steps(driver, expected.size());
  module.kernel("mandelbrot")
      .launch({{4, 6}, {16, 8}}, steps, kWidth, kHeight, kLimit, kLeft, kTop, kStep);
  Result result;
  result.add("steps", steps.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(mandelbrot_collatz) {
  constexpr unsigned kCount = 700;
  Random random(51);
  const auto starts =
      Random::list<std::uint32_t>(kCount, [&] { return random.below(1000000) + 1; });
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> peaks;
  for (std::uint32_t value : starts) {
    std::uint32_t peak = value;
    std::uint32_t length = 0;
    while (value != 1 && length < 500) {
      value = value % 2 == 0 ? value / 2 : 3 * value + 1;
      peak = value % 2 == 0 && value > peak ? value : peak;
      ++length;
    }
    lengths.push_back(length);
    peaks.push_back(peak);
  }
  Module module(driver, ptx_of("mandelbrot"));
  const DeviceBuffer buffer(driver, starts);
  const DeviceBuffer<std::uint32_t> buffer_lengths(driver, kCount);
  const DeviceBuffer<std::uint32_t> buffer_peaks(driver, kCount);
  module.kernel("collatz").launch({{11}, {64}}, buffer, buffer_lengths, buffer_peaks, kCount);
  Result result;
  result.add("lengths", buffer_lengths.download(), lengths);
  result.add("peaks", buffer_peaks.download(), peaks);
  return result;
}

GANTRY_KERNEL_CASE(calls_recursion) {
  constexpr int kThreads = 70;
  std::vector<int> expected(std::size_t{2} * kThreads);
  for (int t = 0; t < kThreads; ++t) {
    expected[static_cast<std::size_t>(t)] = fibonacci(t % 13);
    expected[std::size_t{kThreads} + static_cast<std::size_t>(t)] = ackermann(t % 3, t % 5);
  }
  Module module(driver, ptx_of("calls"));
  const DeviceBuffer<int> results(driver, expected.size());
  module.kernel("recursion").launch({{1}, {kThreads}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(calls_function_pointers) {
  constexpr int kThreads = 96;
  Random random(52);
  const auto which = Random::list<int>(kThreads, [&] { return random.below(4); });
  std::vector<int> expected(std::size_t{3} * kThreads);
  for (int t = 0; t < kThreads; ++t) {
    const auto i = static_cast<std::size_t>(t);
    const int results[4] = {t + 7, t - 7, t * 7, fibonacci(t % 7) * 7};
    expected[i] = results[which[i]];
    expected[kThreads + i] = t * t;
    expected[std::size_t{2} * kThreads + i] = 1;
  }
  Module module(driver, ptx_of("calls"));
  const DeviceBuffer buffer(driver, which);
  const DeviceBuffer<int> results(driver, expected.size());
  module.kernel("function_pointers").launch({{1}, {kThreads}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(calls_virtual) {
  constexpr int kThreads = 64;
  std::vector<int> expected(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    const int of[2] = {t * t * 10 + 4, t * 3 * 10};
    expected[static_cast<std::size_t>(t)] = of[t % 2] + of[t / 2 % 2];
  }
  Module module(driver, ptx_of("calls"));
  const DeviceBuffer<int> results(driver, kThreads);
  module.kernel("virtual_calls").launch({{1}, {kThreads}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(calls_struct_values) {
  struct Box {
    double low[3];
    int id;
    short tag;
  };
  constexpr int kThreads = 40;
  const Box box = {{1.5, -2.25, 100}, 1000, 30};
  std::vector<double> lows(std::size_t{3} * kThreads);
  std::vector<int> ids(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < 3; ++i) {
      lows[std::size_t{3} * static_cast<std::size_t>(t) + static_cast<std::size_t>(i)] =
          box.low[i] - 0.5 * (i + 1) - t * (i + 1.0);
    }
    ids[static_cast<std::size_t>(t)] = box.id + 2 * (box.tag + t);
  }
  Module module(driver, ptx_of("calls"));
  const DeviceBuffer<double> buffer_lows(driver, lows.size());
  const DeviceBuffer<int> buffer_ids(driver, ids.size());
  module.kernel("struct_values").launch({{1}, {kThreads}}, box, buffer_lows, buffer_ids);
  Result result;
  result.add("lows", buffer_lows.download(), lows);
  result.add("ids", buffer_ids.download(), ids);
  return result;
}

} // namespace gantry::simt::testing
