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
    kernel_.device = &device();
    kernel_.environment.mode = GANTRY_KERNEL_BARE;
    kernel_.max_block_size = 1024;
    ASSERT_EQ(__tgt_rtl_create_queue(0, &queue_), GANTRY_SUCCESS);
    ASSERT_EQ(__tgt_rtl_data_alloc(0, sizeof(unsigned), &flag_), GANTRY_SUCCESS);
    launch_.arguments = &flag_;
    launch_.argument_count = 1;
  }
  void TearDown() override {
    EXPECT_EQ(__tgt_rtl_data_delete(0, flag_), GANTRY_SUCCESS);
    __tgt_rtl_destroy_queue(queue_);
    EXPECT_EQ(enter(device()), GANTRY_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS);
  }

  /// A new table of so many functions.
  static void set_functions(std::size_t count) {
    std::vector<__omp_offloading_fptr_map_ty> table(count);
    __tgt_rtl_set_function_ptr_map(0, count, table.data());
  }

  void set_flag(unsigned value) {
    EXPECT_EQ(__tgt_rtl_data_submit(0, flag_, &value, sizeof value), GANTRY_SUCCESS);
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
  EXPECT_EQ(__tgt_rtl_launch_kernel(0, &kernel_, &launch_), GANTRY_OUT_OF_MEMORY);
  EXPECT_THAT(__tgt_rtl_error_message(), testing::HasSubstr("table of functions"));
  EXPECT_EQ(__tgt_rtl_launch_kernel_async(queue_, &kernel_, &launch_), GANTRY_OUT_OF_MEMORY);
  EXPECT_EQ(device().function_count, 1U);
  for (const CUdeviceptr taken : all) {
    EXPECT_EQ(cuMemFree_v2(taken), CUDA_SUCCESS);
  }
  // There is room now.
  EXPECT_EQ(__tgt_rtl_launch_kernel(0, &kernel_, &launch_), GANTRY_SUCCESS);
  EXPECT_EQ(device().function_count, kMany);
}

TEST_F(FunctionsTest, ReplacedTablesAreFreedWhenNoKernelReadsThem) {
  constexpr std::size_t kMany = std::size_t{1} << 17;
  set_functions(kMany);
  const std::size_t free = free_memory();
  set_functions(kMany);
  EXPECT_EQ(free_memory(), free);
  set_flag(0);
  ASSERT_EQ(__tgt_rtl_launch_kernel_async(queue_, &kernel_, &launch_), GANTRY_SUCCESS);
  set_functions(kMany);
  set_functions(kMany);
  EXPECT_EQ(device().replaced_functions.size(), 2U);
  set_flag(1);
  ASSERT_EQ(__tgt_rtl_synchronize_queue(queue_), GANTRY_SUCCESS);
  set_functions(kMany);
  EXPECT_TRUE(device().replaced_functions.empty());
  EXPECT_EQ(free_memory(), free);
}

} // namespace
} // namespace gantry::cuda
