// Options of devices: what the driver is told, and which are refused.
#include "plugins/cuda/device_options.h"

#include <gtest/gtest.h>

namespace gantry::cuda {
namespace {

TEST(CudaDeviceOptions, NoneIsWhatTheDriverDoesByItself) {
  const auto options = read_device_options("");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->jit({}).options.size(), 2U) << "those of the log";
  EXPECT_EQ(options->heap, std::size_t{64} << 20);
  EXPECT_FALSE(options->stack);
}

TEST(CudaDeviceOptions, AllOfThem) {
  const auto options =
      read_device_options("O2+registers=64+line-info+debug-info+heap=1G+stack=16K");
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->heap, std::size_t{1} << 30);
  EXPECT_EQ(options->stack, std::size_t{16} << 10);
  const DeviceOptions::Jit jit = options->jit({});
  const std::vector<CUjit_option> expected = {
      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL,
      CU_JIT_MAX_REGISTERS,    CU_JIT_GENERATE_LINE_INFO,          CU_JIT_GENERATE_DEBUG_INFO};
  EXPECT_EQ(jit.options, expected);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(jit.values[2]), 2u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(jit.values[3]), 64u);
}

TEST(CudaDeviceOptions, OneThatIsNotUnderstoodIsNamed) {
  const auto error = [](const char* text) { return read_device_options(text).error(); };
  EXPECT_EQ(error("fast"), "'fast' is not an option of these devices, which are O0 to O4, "
                           "registers=, line-info, debug-info, heap=, stack=");
  EXPECT_EQ(error("O5"), "'O5': O takes 0 to 4");
  EXPECT_EQ(error("registers=300"), "'registers=300': registers= takes a number from 16 to 255");
  EXPECT_EQ(error("line-info=1"), "'line-info' takes no value");
  for (const char* wrong :
       {"O", "O-1", "O1x", "registers=", "registers=64K", "heap=", "heap=G", "heap=0",
        "heap=99999999999G", "heap=1T", "stack=-1", "O2+", "+", "O2++O3", "heap", "registers"}) {
    EXPECT_FALSE(read_device_options(wrong)) << wrong;
  }
}

} // namespace
} // namespace gantry::cuda
