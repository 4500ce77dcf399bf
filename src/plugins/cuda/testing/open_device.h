// A device of the PTX executor for a test.
#pragma once

#include "plugins/cuda/device.h"

#include <gtest/gtest.h>

namespace gantry::cuda {

class OnDevice : public testing::Test {
protected:
  void SetUp() override {
    static const std::int32_t code = __tgt_rtl_init_device(0, 0, "");
    ASSERT_EQ(code, GANTRY_SUCCESS) << __tgt_rtl_error_message();
    ASSERT_EQ(enter(device()), GANTRY_SUCCESS);
  }

  static Device& device() { return device_of(0); }

  static std::size_t free_memory() {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
    return free;
  }
};

} // namespace gantry::cuda
