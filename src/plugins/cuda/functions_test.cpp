#include "plugins/cuda/queue.h"

#include "plugins/cuda/testing/open_device.h"

#include <vector>

#include <gmock/gmock.h>

namespace gantry::cuda {
namespace {

/// Ends when the number that its parameter points to is not 0.
constexpr const char* kText = R"(
.version 7.8
.target sm_80
.address_size 64
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

class FunctionsTest : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    ASSERT_EQ(cuModuleLoadData(&module_, kText), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&kernel_.function, module_, "wait_for"), CUDA_SUCCESS);
    kernel_.device = device_;
    kernel_.environment.mode = GANTRY_KERNEL_BARE;
    kernel_.max_block_size = 1024;
    ASSERT_EQ(entries::create_queue(device_, &queue_), GANTRY_SUCCESS);
    flag_ = allocate(device_, sizeof(unsigned));
    launch_ = launch_of(flag_);
  }
  void TearDown() override {
    EXPECT_EQ(entries::release(device_, flag_), GANTRY_SUCCESS);
    EXPECT_EQ(entries::destroy_queue(queue_), GANTRY_SUCCESS);
    EXPECT_EQ(enter(*device_), GANTRY_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS);
    OnDevice::TearDown();
  }

  /// A new table of so many functions.
  void set_functions(std::size_t count) {
    const std::vector<__omp_offloading_fptr_map_ty> table(count);
    EXPECT_EQ(entries::set_function_map(device_, table.data(), count), GANTRY_SUCCESS);
  }

  void set_flag(unsigned value) {
    EXPECT_EQ(entries::copy_to_device(device_, flag_, &value, sizeof value), GANTRY_SUCCESS);
  }

  CUmodule module_ = nullptr;
  gantry_kernel kernel_;
  gantry_queue* queue_ = nullptr;
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
  EXPECT_EQ(device_->function_count, 1U);
  for (const CUdeviceptr taken : all) {
    EXPECT_EQ(cuMemFree_v2(taken), CUDA_SUCCESS);
  }
  // There is room now.
  EXPECT_EQ(entries::launch(device_, &kernel_, &launch_), GANTRY_SUCCESS);
  EXPECT_EQ(device_->function_count, kMany);
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
  EXPECT_EQ(device_->replaced_functions.size(), 2U);
  set_flag(1);
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
  set_functions(kMany);
  EXPECT_TRUE(device_->replaced_functions.empty());
  EXPECT_EQ(free_memory(), free);
}

} // namespace
} // namespace gantry::cuda
