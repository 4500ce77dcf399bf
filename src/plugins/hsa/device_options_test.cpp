// Options of devices, and which are refused.
#include "plugins/hsa/device_options.h"

#include <gtest/gtest.h>

namespace gantry::hsa {
namespace {

TEST(HsaDeviceOptions, UsualOnes) {
  const auto options = read_device_options("");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->heap, std::size_t{100} << 20);
  EXPECT_EQ(options->stack, std::size_t{16} << 10);
}

TEST(HsaDeviceOptions, AllOfThem) {
  const auto options = read_device_options("heap=1G+stack=64K");
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->heap, std::size_t{1} << 30);
  EXPECT_EQ(options->stack, std::size_t{64} << 10);
}

TEST(HsaDeviceOptions, OneThatIsNotUnderstoodIsNamed) {
  EXPECT_EQ(read_device_options("fast").error(),
            "'fast' is not an option of these devices, which are heap=, stack=");
  EXPECT_EQ(read_device_options("stack=4G").error(),
            "'stack=4G': stack= takes a number of bytes, as in 64K");
  for (const char* wrong : {"heap", "heap=", "heap=0", "heap=2T", "stack=1", "stack=-1", "+"}) {
    EXPECT_FALSE(read_device_options(wrong)) << wrong;
  }
}

} // namespace
} // namespace gantry::hsa
