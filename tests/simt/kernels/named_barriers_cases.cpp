// Kernels of named_barriers.ptx.
#include "kernel_case.h"

namespace gantry::simt::testing {

namespace {

/// What a kernel writes for each thread, beside what it should: `of_thread(i)`.
template <typename OfThread>
Result each_thread(Driver& driver, const char* kernel, unsigned blocks, unsigned threads,
                   OfThread of_thread) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t thread = 0; thread < blocks * threads; ++thread) {
    expected.push_back(of_thread(thread));
  }
  Module module(driver, ptx_of("named_barriers"));
  const DeviceBuffer results(driver, std::vector<std::uint32_t>(expected.size()));
  module.kernel(kernel).launch({{blocks}, {threads}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(named_barriers_arrive_at_two) {
  return each_thread(driver, "arrive_at_two", 1, 96,
                     [](std::uint32_t thread) { return thread < 64 ? thread / 32 + 1 : thread; });
}

GANTRY_KERNEL_CASE(named_barriers_two_phases) {
  return each_thread(driver, "two_phases", 1, 128,
                     [](std::uint32_t thread) { return thread < 64 ? 0U : 64U; });
}

GANTRY_KERNEL_CASE(named_barriers_open_barrier) {
  return each_thread(driver, "open_barrier", 64, 128, [](std::uint32_t thread) { return thread; });
}

} // namespace gantry::simt::testing
