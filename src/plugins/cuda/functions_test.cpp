// The table of functions called by pointer: without room, and replaced while kernels run.
#include "plugins/cuda/queue.h"

#include "plugins/cuda/testing/open_device.h"

#include <vector>

#include <gmock/gmock.h>

namespace gantry::cuda {
namespace {

/// Ends when the number that its parameter points to is not 0.
constexpr const char* kText = GANTRY_PTX R"(
.visible .entry wait_for(.param .u64 at) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [at];
again:
  ld.volatile.u32 %r1, [%rd1];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
})";

class FunctionsTest : public KernelOnDevice {
protected:
  FunctionsTest() : KernelOnDevice(kText, "wait_for") {}
  void SetUp() override {
    KernelOnDevice::SetUp();
    flag_ = allocate(device_, sizeof(unsigned));
    launch_ = launch_of(flag_);
  }
  void TearDown() override {
    EXPECT_EQ(entries::release(device_, flag_), GANTRY_SUCCESS);
    KernelOnDevice::TearDown();
  }

  /// A new table of so many functions.
  void set_functions(std::size_t count) {
    const std::vector<__omp_offloading_fptr_map_ty> table(count);
    EXPECT_EQ(entries::set_function_map(device_, table.data(), count), GANTRY_SUCCESS);
  }

  void set_flag(unsigned value) {
    EXPECT_EQ(entries::copy_to_device(device_, flag_, &value, sizeof value), GANTRY_SUCCESS);
  }

  void* flag_ = nullptr;
  gantry_launch launch_{};
};

TEST_F(FunctionsTest, ATableWithoutRoomIsAnErrorOfLaunches) {
  constexpr std::size_t kMany = std::size_t{1} << 17; // 2 MiB
  set_flag(1);
  set_functions(1);
  std::vector<CUdeviceptr> all;
  for (std::size_t bytes = free_memory(); bytes > std::size_t{1} << 20;) {
    CUdeviceptr taken = 0;
    if (cuMemAlloc_v2(&taken, bytes) == CUDA_SUCCESS) {
      all.push_back(taken);
    } else {
      bytes /= 2;
    }
  }
  set_functions(kMany);
  EXPECT_EQ(entries::launch(device_, &kernel_, &launch_), GANTRY_OUT_OF_MEMORY);
  EXPECT_THAT(plugins::last_error(), testing::HasSubstr("table of functions"));
  EXPECT_EQ(entries::queue_launch(queue_, &kernel_, &launch_), GANTRY_OUT_OF_MEMORY);
  EXPECT_EQ(device_->functions.count(), 1U);
  for (const CUdeviceptr taken : all) {
    EXPECT_EQ(cuMemFree_v2(taken), CUDA_SUCCESS);
  }
  // There is room now.
  EXPECT_EQ(entries::launch(device_, &kernel_, &launch_), GANTRY_SUCCESS);
  EXPECT_EQ(device_->functions.count(), kMany);
}

TEST_F(FunctionsTest, ReplacedTablesAreFreedWhenNoKernelReadsThem) {
  constexpr std::size_t kMany = std::size_t{1} << 17;
  set_functions(kMany);
  const std::size_t free = free_memory();
  set_functions(kMany);
  EXPECT_EQ(free_memory(), free);
  set_flag(0);
  ASSERT_EQ(entries::queue_launch(queue_, &kernel_, &launch_), GANTRY_SUCCESS);
  set_functions(kMany);
  set_functions(kMany);
  EXPECT_EQ(device_->functions.replaced(), 2U);
  set_flag(1);
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
  set_functions(kMany);
  EXPECT_EQ(device_->functions.replaced(), 0U);
  EXPECT_EQ(free_memory(), free);
}

} // namespace
} // namespace gantry::cuda
