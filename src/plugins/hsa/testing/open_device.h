// A device of the executor of AMD's code for a test.
#pragma once

#include "plugins/hsa/device.h"
#include "plugins/hsa/entries.h"
#include "plugins/hsa/image.h"
#include "plugins/hsa/queue.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace gantry::hsa {

/// Opens the first device; null, with a failed expectation, if that is refused.
inline gantry_device* open_device(const char* options = "") {
  const gantry_device_settings settings = {
      .size = sizeof settings, .openmp_number = 3, .options = options};
  gantry_device* device = nullptr;
  EXPECT_EQ(entries::open_device(0, &settings, &device), GANTRY_SUCCESS) << plugins::last_error();
  return device;
}

inline void* allocate(gantry_device* device, std::uint64_t bytes) {
  const gantry_allocation request = {
      .size = sizeof request, .bytes = bytes, .alignment = 64, .offset = 0, .address = 0};
  void* address = nullptr;
  EXPECT_EQ(entries::allocate(device, &request, &address), GANTRY_SUCCESS) << plugins::last_error();
  return address;
}

/// A file of the build's.
inline std::string contents_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One team of one thread.
inline gantry_launch launch_of(void** arguments, std::uint32_t count) {
  gantry_launch launch = {};
  launch.size = sizeof launch;
  launch.kind = GANTRY_LAUNCH_TARGET;
  launch.argument_count = count;
  launch.arguments = arguments;
  launch.num_teams[0] = 1;
  launch.thread_limit[0] = 1;
  return launch;
}

/// Each test has a device and a queue, which are gone behind it.
class OnDevice : public testing::Test {
protected:
  void SetUp() override {
    device_ = open_device();
    ASSERT_NE(device_, nullptr);
    ASSERT_EQ(entries::create_queue(device_, &queue_), GANTRY_SUCCESS) << plugins::last_error();
  }
  void TearDown() override {
    const gantry_status expected =
        device_->loss.has_happened() ? GANTRY_DEVICE_LOST : GANTRY_SUCCESS;
    EXPECT_EQ(entries::destroy_queue(queue_), expected) << plugins::last_error();
    const gantry_status closed = entries::close_device(device_);
    EXPECT_TRUE(closed == GANTRY_SUCCESS || closed == expected) << plugins::last_error();
  }

  gantry_device* device_ = nullptr;
  gantry_queue* queue_ = nullptr;
};

/// And the image of kernels.c.
class KernelsOnDevice : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    const std::string bytes = contents_of(GANTRY_TEST_KERNELS);
    ASSERT_EQ(entries::create_image(device_, bytes.data(), bytes.size(), nullptr, &image_),
              GANTRY_SUCCESS)
        << plugins::last_error();
    ASSERT_EQ(entries::load_image(image_), GANTRY_SUCCESS) << plugins::last_error();
  }
  void TearDown() override {
    const gantry_status expected =
        device_->loss.has_happened() ? GANTRY_DEVICE_LOST : GANTRY_SUCCESS;
    EXPECT_EQ(entries::destroy_image(image_), expected) << plugins::last_error();
    OnDevice::TearDown();
  }

  gantry_kernel* kernel(const char* name) {
    gantry_symbol symbol = {.name = name, .kind = GANTRY_SYMBOL_KERNEL};
    EXPECT_EQ(entries::find_symbols(image_, &symbol, 1), GANTRY_SUCCESS) << plugins::last_error();
    return symbol.kernel;
  }

  gantry_image* image_ = nullptr;
};

} // namespace gantry::hsa
