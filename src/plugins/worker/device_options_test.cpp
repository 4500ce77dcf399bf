// Options of devices: their values, and which are refused.
#include "plugins/worker/device_options.h"

#include <gtest/gtest.h>

namespace gantry::worker {
namespace {

TEST(WorkerDeviceOptions, NoneIsWhatTheMachineHas) {
  const auto options = read_device_options("");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->threads, 0u);
  EXPECT_EQ(options->memory, 0u);
}

TEST(WorkerDeviceOptions, AllOfThem) {
  const auto options = read_device_options("threads=4+memory=2G");
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->threads, 4u);
  EXPECT_EQ(options->memory, std::uint64_t{2} << 30);
}

TEST(WorkerDeviceOptions, OneThatIsNotUnderstoodIsNamed) {
  EXPECT_EQ(
      read_device_options("fast").error(),
      "'fast' is not an option of worker devices, which are threads=, memory= and at=; a number of "
      "devices stands in front of them, as in worker:2+threads=4");
  EXPECT_EQ(read_device_options("threads=0").error(),
            "'threads=0': threads= takes a number from 1 to 4096, or 'limit'");
  EXPECT_EQ(read_device_options("memory=1K").error(),
            "'memory=1K': memory= takes a number of bytes from 1M to 4096G, as in 512M");
  for (const char* wrong :
       {"threads", "threads=", "threads=-1", "threads=4K", "threads=4097", "memory=", "memory=G",
        "memory=5000G", "memory=99999999999999999999", "threads=1+", "+", "threads=1++memory=1G"}) {
    EXPECT_FALSE(read_device_options(wrong)) << wrong;
  }
}

} // namespace
} // namespace gantry::worker
