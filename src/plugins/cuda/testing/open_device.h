// A device of the PTX executor for a test.
#pragma once

#include "plugins/cuda/device.h"
#include "plugins/cuda/entries.h"
#include "plugins/cuda/image.h"

#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

/// What every module of PTX begins with: goes in front of a string literal.
#define GANTRY_PTX ".version 7.8\n.target sm_80\n.address_size 64\n"

namespace gantry::cuda {

/// Opens the first device; null, with a failed expectation, if that is refused.
inline gantry_device* open_device() {
  const gantry_device_settings settings = {.size = sizeof settings, .options = ""};
  gantry_device* device = nullptr;
  EXPECT_EQ(entries::open_device(0, &settings, &device), GANTRY_SUCCESS) << plugins::last_error();
  return device;
}

inline gantry_allocation request_of(std::uint64_t bytes) {
  return {.size = sizeof(gantry_allocation), .bytes = bytes, .alignment = 64};
}

inline void* allocate(gantry_device* device, std::uint64_t bytes) {
  const gantry_allocation request = request_of(bytes);
  void* address = nullptr;
  EXPECT_EQ(entries::allocate(device, &request, &address), GANTRY_SUCCESS) << plugins::last_error();
  return address;
}

inline gantry_image* create_image(gantry_device* device, std::string_view bytes) {
  gantry_image* image = nullptr;
  EXPECT_EQ(entries::create_image(device, bytes.data(), bytes.size(), nullptr, &image),
            GANTRY_SUCCESS)
      << plugins::last_error();
  return image;
}

inline gantry_symbol symbol_of(std::int32_t kind, const char* name) {
  return {.name = name, .kind = kind};
}

/// One team; `argument` is the kernel's parameter.
inline gantry_launch launch_of(void*& argument) {
  gantry_launch launch = {};
  launch.size = sizeof launch;
  launch.kind = GANTRY_LAUNCH_TARGET;
  launch.argument_count = 1;
  launch.arguments = &argument;
  launch.num_teams[0] = 1;
  return launch;
}

/// Each test has a device, which is closed behind it.
class OnDevice : public testing::Test {
protected:
  void SetUp() override {
    device_ = open_device();
    ASSERT_NE(device_, nullptr);
    ASSERT_EQ(enter(*device_), GANTRY_SUCCESS);
  }
  void TearDown() override {
    if (device_ != nullptr) {
      EXPECT_EQ(entries::close_device(device_), GANTRY_SUCCESS) << plugins::last_error();
    }
  }

  static std::size_t free_memory() {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
    return free;
  }

  gantry_device* device_ = nullptr;
};

/// And a queue, and a kernel of a module that the driver has loaded.
class KernelOnDevice : public OnDevice {
protected:
  KernelOnDevice(const char* code, const char* name) : code_(code), name_(name) {}

  void SetUp() override {
    OnDevice::SetUp();
    ASSERT_EQ(cuModuleLoadData(&module_, code_), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&kernel_.function, module_, name_), CUDA_SUCCESS);
    kernel_.device = device_;
    kernel_.environment.mode = GANTRY_KERNEL_BARE;
    kernel_.max_block_size = 1024;
    ASSERT_EQ(entries::create_queue(device_, &queue_), GANTRY_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(entries::destroy_queue(queue_), GANTRY_SUCCESS);
    EXPECT_EQ(enter(*device_), GANTRY_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS);
    OnDevice::TearDown();
  }

  const char* code_;
  const char* name_;
  CUmodule module_ = nullptr;
  gantry_kernel kernel_;
  gantry_queue* queue_ = nullptr;
};

} // namespace gantry::cuda
