// Each case of the table on the libcuda.so.1 that is found: what kernels write is what the host
// computes.
#include "kernel_case.h"

#include <ostream>

#include <gtest/gtest.h>

namespace gantry::simt::testing {

/// How GoogleTest names one that fails.
static void PrintTo(const KernelCase& kernel_case, std::ostream* out) {
  *out << kernel_case.name;
}

namespace {

class Kernels : public ::testing::TestWithParam<KernelCase> {
protected:
  /// One for all: a second cuInit would only take time.
  static Driver& driver() {
    static Driver shared;
    return shared;
  }
};

TEST_P(Kernels, AgreeWithTheHost) {
  const Result result = GetParam().run(driver());
  EXPECT_FALSE(result.outputs.empty());
  for (const Output& output : result.outputs) {
    const Difference found =
        difference(output.element, output.ulps, output.actual, output.expected);
    EXPECT_TRUE(found.text.empty())
        << output.name << ": " << found.text << "; " << found.differing << " differ";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, ::testing::ValuesIn(kernel_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

} // namespace

} // namespace gantry::simt::testing
