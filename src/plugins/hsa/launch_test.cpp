// Launches: what kernels are given, their order among copies, and what ends a device.
#include "plugins/hsa/launch.h"

#include "plugins/hsa/testing/open_device.h"

#include <array>

#include <gmock/gmock.h>

namespace gantry::hsa {
namespace {

using testing::HasSubstr;

using HsaLaunch = KernelsOnDevice;

void* word(std::uint64_t value) {
  return reinterpret_cast<void*>(value);
}

TEST_F(HsaLaunch, AddsWhatTheKernelAsksFor) {
  std::array<std::uint64_t, 10> found = {};
  void* const memory = allocate(device_, sizeof found);
  void* arguments[] = {memory};
  gantry_launch launch = launch_of(arguments, 1);
  launch.kind = GANTRY_LAUNCH_TEAMS;
  const std::uint32_t teams[] = {5, 3, 2}, threads[] = {8, 4, 2};
  std::copy_n(teams, 3, launch.num_teams);
  std::copy_n(threads, 3, launch.thread_limit);
  ASSERT_EQ(entries::launch(device_, kernel("write_hidden"), &launch), GANTRY_SUCCESS)
      << plugins::last_error();
  ASSERT_EQ(entries::copy_to_host(device_, found.data(), memory, sizeof found), GANTRY_SUCCESS);
  EXPECT_EQ(found, (std::array<std::uint64_t, 10>{5, 3, 2, 8, 4, 2, 0, 0, 0, 3}));
  ASSERT_EQ(entries::release(device_, memory), GANTRY_SUCCESS);
}

TEST_F(HsaLaunch, ComesBehindWhatWasPutInBefore) {
  constexpr std::uint64_t kMany = 100;
  void* const memory = allocate(device_, 2 * sizeof(std::uint64_t));
  void* const other = static_cast<std::byte*>(memory) + sizeof(std::uint64_t);
  gantry_kernel* const add = kernel("add_slowly");
  std::vector<std::uint64_t> results(kMany);
  for (std::uint64_t i = 0; i < kMany; ++i) {
    const std::uint64_t value = 10 * i;
    void* there[] = {other, memory, word(i % 7 * 100)};
    void* back[] = {memory, other, word(0)};
    const gantry_launch first = launch_of(there, 3), second = launch_of(back, 3);
    ASSERT_EQ(entries::queue_copy_to_device(queue_, memory, &value, sizeof value), GANTRY_SUCCESS);
    ASSERT_EQ(entries::queue_launch(queue_, add, &first), GANTRY_SUCCESS);
    ASSERT_EQ(entries::queue_launch(queue_, add, &second), GANTRY_SUCCESS);
    ASSERT_EQ(entries::queue_copy_to_host(queue_, &results[i], memory, sizeof value),
              GANTRY_SUCCESS);
  }
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS) << plugins::last_error();
  for (std::uint64_t i = 0; i < kMany; ++i) {
    EXPECT_EQ(results[i], 10 * i + 2) << i;
  }
  ASSERT_EQ(entries::release(device_, memory), GANTRY_SUCCESS);
}

TEST_F(HsaLaunch, StacksAreAsLargeAsIsSaid) {
  const gantry_kernel& deep = *kernel("recurse");
  EXPECT_GT(deep.private_bytes, 16U << 10) << "behind the kernel's own frame";
  EXPECT_LT(deep.private_bytes, 17U << 10);
  EXPECT_LT(kernel("store")->private_bytes, 16U << 10);
  void* const memory = allocate(device_, sizeof(std::uint64_t));
  void* arguments[] = {memory, word(50)};
  const gantry_launch launch = launch_of(arguments, 2);
  ASSERT_EQ(entries::launch(device_, kernel("recurse"), &launch), GANTRY_SUCCESS)
      << plugins::last_error();
  std::uint64_t sum = 0;
  ASSERT_EQ(entries::copy_to_host(device_, &sum, memory, sizeof sum), GANTRY_SUCCESS);
  EXPECT_EQ(sum, 50U * 51 / 2);
  ASSERT_EQ(entries::release(device_, memory), GANTRY_SUCCESS);
}

TEST_F(HsaLaunch, WhatIsTooLargeIsRefused) {
  gantry_launch launch = launch_of(nullptr, 0);
  launch.dynamic_memory = 64 << 10;
  launch.dynamic_memory += 1;
  EXPECT_EQ(entries::launch(device_, kernel("trap"), &launch), GANTRY_FAILURE);
  EXPECT_THAT(plugins::last_error(), HasSubstr("65537 of them dynamic, and the device has 65536"));
  launch.dynamic_memory = 0;
  launch.thread_limit[0] = launch.thread_limit[1] = 64;
  EXPECT_EQ(entries::launch(device_, kernel("trap"), &launch), GANTRY_FAILURE);
  EXPECT_THAT(plugins::last_error(), HasSubstr("a team of 4096 threads"));
}

TEST_F(HsaLaunch, ATrapEndsTheDevice) {
  gantry_fault fault = {.size = sizeof fault};
  EXPECT_EQ(entries::get_fault(device_, &fault), GANTRY_NOT_FOUND);
  const gantry_launch launch = launch_of(nullptr, 0);
  ASSERT_EQ(entries::launch(device_, kernel("trap"), &launch), GANTRY_DEVICE_LOST);
  EXPECT_THAT(plugins::last_error(),
              HasSubstr("failed: a trap: abort, a failed assertion or __builtin_trap"));
  ASSERT_EQ(entries::get_fault(device_, &fault), GANTRY_SUCCESS);
  EXPECT_EQ(fault.kind, GANTRY_FAULT_DESCRIBED);
  EXPECT_STREQ(fault.kernel_name, "trap");
  EXPECT_THAT(fault.what, HasSubstr("trap"));
}

TEST_F(HsaLaunch, AWrongAddressEndsTheDevice) {
  void* arguments[] = {word(0x18)};
  const gantry_launch launch = launch_of(arguments, 1);
  gantry_kernel* const store = kernel("store");
  ASSERT_EQ(entries::queue_launch(queue_, store, &launch), GANTRY_SUCCESS);
  EXPECT_EQ(entries::synchronize_queue(queue_), GANTRY_DEVICE_LOST);
  gantry_fault fault = {.size = sizeof fault};
  ASSERT_EQ(entries::get_fault(device_, &fault), GANTRY_SUCCESS) << plugins::last_error();
  EXPECT_EQ(fault.kind, GANTRY_FAULT_ACCESS);
  EXPECT_EQ(fault.address_known, 1);
  EXPECT_EQ(fault.address, 0x18U);
  EXPECT_EQ(fault.kernel, store);
  EXPECT_EQ(entries::queue_launch(queue_, store, &launch), GANTRY_DEVICE_LOST);
}

/// A kernel whose code matters not.
TEST_F(HsaLaunch, GridsSuitTheConstructAndTheKernel) {
  gantry_kernel some;
  some.device = device_;
  some.wave_size = 64;
  some.max_block_size = 256;
  some.waves_at_once = 40;
  some.environment.mode = GANTRY_KERNEL_GENERIC;
  gantry_launch launch = launch_of(nullptr, 0);
  launch.thread_limit[0] = 0;
  EXPECT_EQ(choose_grid(some, launch).threads[0], 128U);
  launch.thread_limit[0] = 64;
  EXPECT_EQ(choose_grid(some, launch).threads[0], 128U) << "and a wave for the main thread";
  launch.thread_limit[0] = 1000;
  EXPECT_EQ(choose_grid(some, launch).threads[0], 256U);
  some.environment.mode = GANTRY_KERNEL_SPMD;
  launch.thread_limit[0] = 64;
  launch.kind = GANTRY_LAUNCH_TEAMS;
  launch.num_teams[0] = 0;
  launch.trip_count = 6400;
  EXPECT_EQ(choose_grid(some, launch).threads[0], 64U);
  EXPECT_EQ(choose_grid(some, launch).blocks[0], std::min(100U, 4 * 40 * device_->compute_units));
  launch.num_teams[0] = 7;
  EXPECT_EQ(choose_grid(some, launch).blocks[0], 7U);
}

} // namespace
} // namespace gantry::hsa
