// Kernels of interfaces.ptx.
#include "kernel_case.h"

namespace gantry::simt::testing {

namespace {

constexpr std::uint32_t kThreads = 64;

/// What a kernel writes whose one parameter is the address of `of_thread(i)` for each thread.
template <typename T, typename OfThread>
Result each_thread(Driver& driver, const char* kernel, OfThread of_thread) {
  std::vector<T> expected;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    const std::vector<T> own = of_thread(thread);
    expected.insert(expected.end(), own.begin(), own.end());
  }
  Module module(driver, ptx_of("interfaces"));
  const DeviceBuffer<T> results(driver, std::vector<T>(expected.size()));
  module.kernel(kernel).launch({{1}, {kThreads}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(interfaces_heap_with_registers) {
  return each_thread<std::uint32_t>(driver, "heap_with_registers",
                                    [](std::uint32_t thread) { return std::vector{thread + 1}; });
}

GANTRY_KERNEL_CASE(interfaces_other_prototypes) {
  return each_thread<std::uint32_t>(driver, "other_prototypes", [](std::uint32_t thread) {
    return std::vector<std::uint32_t>{thread, 7, thread + 100, thread};
  });
}

} // namespace gantry::simt::testing
