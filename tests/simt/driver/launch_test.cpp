#include "driver_test.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

namespace {

class LaunchTest : public DriverTest {
protected:
  CUresult launch(const char* name, unsigned grid, unsigned block, unsigned shared = 0) {
    return cuda().cuLaunchKernel(function(name), grid, 1, 1, block, 1, 1, shared, nullptr, nullptr,
                                 nullptr);
  }
};

TEST_F(LaunchTest, ChecksTheShape) {
  EXPECT_OK(launch("empty", 1, 1));
  EXPECT_OK(launch("empty", 3, 1024));
  EXPECT_EQ(launch("empty", 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("empty", 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("empty", 1, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("empty", 0x80000000, 1), CUDA_ERROR_INVALID_VALUE);
  const CUfunction empty = function("empty");
  EXPECT_EQ(cuda().cuLaunchKernel(empty, 1, 65536, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuLaunchKernel(empty, 1, 1, 1, 1, 1, 65, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuLaunchKernel(empty, 1, 1, 1, 64, 32, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuCtxSynchronize());
}

/// deep(u64 out, u32 n): *out = n + (n - 1) + … + 1, by n calls in each other.
constexpr const char* kDeepCalls = R"(
.version 7.0
.target sm_70
.address_size 64
.func (.param .b64 sum) deeper(.param .b32 n) {
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.b32 %r1, [n];
  mov.u64 %rd1, 0;
  setp.eq.u32 %p, %r1, 0;
  @%p bra DONE;
  sub.u32 %r2, %r1, 1;
  cvt.u64.u32 %rd2, %r1;
  {
    .param .b32 less;
    .param .b64 rest;
    st.param.b32 [less], %r2;
    call (rest), deeper, (less);
    ld.param.b64 %rd1, [rest];
  }
  add.u64 %rd1, %rd1, %rd2;
DONE:
  st.param.b64 [sum], %rd1;
  ret;
}
.visible .entry deep(.param .u64 out, .param .u32 n) {
  .reg .b32 %r;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r, [n];
  {
    .param .b32 less;
    .param .b64 rest;
    st.param.b32 [less], %r;
    call (rest), deeper, (less);
    ld.param.b64 %rd2, [rest];
  }
  st.global.u64 [%rd1], %rd2;
  ret;
}
)";

TEST_F(LaunchTest, MoreLocalMemoryAllowsDeeperCalls) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "a GPU needs the memory for all threads that it can hold";
  }
  std::size_t before = 0;
  ASSERT_OK(cuda().cuCtxGetLimit(&before, CU_LIMIT_STACK_SIZE));
  ASSERT_OK(cuda().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 512 << 10));
  CUmodule module = nullptr;
  CUfunction deep = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&module, kDeepCalls));
  ASSERT_OK(cuda().cuModuleGetFunction(&deep, module, "deep"));
  CUdeviceptr out = allocate(8);
  std::uint32_t levels = 6000;
  void* parameters[] = {&out, &levels};
  EXPECT_OK(cuda().cuLaunchKernel(deep, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(words(out, 1)[0], levels * (levels + 1) / 2);
  EXPECT_OK(cuda().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, before));
}

/// uneven(u64 out): each of 32 threads goes 100 * i times round a loop with atomic operations, then
/// writes out[i] = the lanes that are there with it.
constexpr const char* kUnevenLoop = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry uneven(.param .u64 out) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  mul.lo.u32 %r2, %r1, 100;
LOOP:
  setp.eq.u32 %p, %r2, 0;
  @%p bra DONE;
  red.global.add.u32 [%rd2], 1;
  sub.u32 %r2, %r2, 1;
  bra LOOP;
DONE:
  activemask.b32 %r3;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

// What PTX does not promise, but lanes that have parted for good cost machine code as much as
// threads.
TEST_F(LaunchTest, LanesMeetAgainBehindALongLoop) {
  const char* const mode = std::getenv("GANTRY_SIMT_MODE");
  if (!cuda().is_simulated || (mode != nullptr && std::string_view(mode) == "interpret")) {
    GTEST_SKIP() << "PTX does not promise it, and the evaluator gives all lanes their turns";
  }
  CUmodule module = nullptr;
  CUfunction uneven = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&module, kUnevenLoop));
  ASSERT_OK(cuda().cuModuleGetFunction(&uneven, module, "uneven"));
  CUdeviceptr out = allocate(32 * sizeof(std::uint32_t));
  void* parameters[] = {&out};
  EXPECT_OK(cuda().cuLaunchKernel(uneven, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(words(out, 32), std::vector<std::uint32_t>(32, 0xFFFFFFFF));
}

TEST_F(LaunchTest, KernelsHaveLimitsOfTheirOwn) {
  EXPECT_OK(launch("few", 1, 64));
  EXPECT_NE(launch("few", 1, 65), CUDA_SUCCESS);
  EXPECT_OK(launch("exact", 1, 32));
  EXPECT_NE(launch("exact", 1, 31), CUDA_SUCCESS);
  int threads = 0;
  EXPECT_OK(cuda().cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                      function("few")));
  EXPECT_EQ(threads, 64);
}

TEST_F(LaunchTest, MuchSharedMemoryHasToBeAskedFor) {
  EXPECT_OK(launch("empty", 1, 32, 48 << 10));
  EXPECT_EQ(launch("empty", 1, 32, (48 << 10) + 16), CUDA_ERROR_INVALID_VALUE);
  int most = 0;
  EXPECT_OK(cuda().cuDeviceGetAttribute(
      &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device_));
  const CUfunction empty = function("empty");
  const auto attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_EQ(cuda().cuFuncSetAttribute(empty, attribute, most + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuFuncSetAttribute(empty, attribute, most));
  EXPECT_OK(launch("empty", 1, 32, static_cast<unsigned>(most)));
  EXPECT_EQ(launch("empty", 1, 32, static_cast<unsigned>(most) + 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuCtxSynchronize());
}

TEST_F(LaunchTest, ParametersComeBothWays) {
  CUdeviceptr out = allocate(12);
  struct Packed {
    std::uint8_t small = 200;
    CUdeviceptr out = 0;
    std::uint32_t bytes[3] = {1, 2, 0xCAFE};
    std::uint16_t last = 0xBEEF;
  } packed;
  packed.out = out;
  void* parameters[] = {&packed.small, &packed.out, packed.bytes, &packed.last};
  EXPECT_OK(
      cuda().cuLaunchKernel(function("mixed"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  const std::vector<std::uint32_t> expected = {200, 0xCAFE, 0xBEEF};
  EXPECT_EQ(words(out, 3), expected);

  EXPECT_OK(cuda().cuMemsetD8_v2(out, 0, 12));
  std::size_t size = 30; // without what pads the structure
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  EXPECT_OK(cuda().cuLaunchKernel(function("mixed"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  std::memset(static_cast<void*>(&packed), 0, sizeof(packed)); // the launch has its own copy
  EXPECT_EQ(words(out, 3), expected);
  size = sizeof(packed);
  EXPECT_EQ(cuda().cuLaunchKernel(function("mixed"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra),
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

constexpr const char* kCallsByPointer = R"(
.version 8.3
.target sm_80
.address_size 64
.extern .func (.param .b64 place) malloc (.param .b64 bytes);
.extern .func free (.param .b64 place);
.visible .entry heap_by_pointer(.param .u64 results)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [results];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    mov.u64 %rd2, malloc;
    mov.u64 %rd3, free;
    taking: .callprototype (.param .b64 _) _ (.param .b64 _);
    giving: .callprototype _ (.param .b64 _);
    {
        .param .b64 bytes;
        .param .b64 place;
        st.param.b64 [bytes], 16;
        call (place), %rd2, (bytes), taking;
        ld.param.b64 %rd4, [place];
    }
    st.u32 [%rd4], %r1;
    ld.u32 %r2, [%rd4];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd1], %r2;
    {
        .param .b64 place;
        st.param.b64 [place], %rd4;
        call %rd3, (place), giving;
    }
    ret;
}
)";

// NVIDIA's assembler knows no address of these.
TEST_F(LaunchTest, SystemCallsHaveAddresses) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "the PTX executor's alone";
  }
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&module, kCallsByPointer));
  ASSERT_OK(cuda().cuModuleGetFunction(&function, module, "heap_by_pointer"));
  CUdeviceptr out = allocate(256);
  void* parameters[] = {&out};
  EXPECT_OK(cuda().cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  std::vector<std::uint32_t> expected(64);
  std::iota(expected.begin(), expected.end(), 1U);
  EXPECT_EQ(words(out, 64), expected);
}

TEST_F(LaunchTest, BadParametersAreRefused) {
  CUdeviceptr out = allocate(4);
  void* parameters[] = {&out};
  std::size_t size = 4;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &out, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  const CUfunction count = function("count");
  const auto launch_with = [&](void** given, void** more) {
    return cuda().cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, nullptr, given, more);
  };
  EXPECT_EQ(launch_with(parameters, extra), CUDA_ERROR_INVALID_VALUE);
  if (cuda().is_simulated) { // NVIDIA's driver reads them all the same
    EXPECT_EQ(launch_with(nullptr, extra), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch_with(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    void* null[] = {nullptr};
    EXPECT_EQ(launch_with(null, nullptr), CUDA_ERROR_INVALID_VALUE);
    void* unknown[] = {reinterpret_cast<void*>(7), nullptr, nullptr};
    EXPECT_EQ(launch_with(nullptr, unknown), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuda().cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuda().cuLaunchKernel(function("empty"), 1, 1, 1, 1, 1, 1, 0,
                                    reinterpret_cast<CUstream>(0x10), nullptr, nullptr),
              CUDA_ERROR_INVALID_HANDLE);
  }
  size = 8;
  EXPECT_OK(launch_with(nullptr, extra));
  EXPECT_EQ(words(out, 1)[0], 1U);
}

TEST_F(LaunchTest, FunctionsDescribeThemselves) {
  std::size_t offset = 0;
  std::size_t size = 0;
  const std::size_t expected[][2] = {{0, 1}, {8, 8}, {16, 12}, {28, 2}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_OK(cuda().cuFuncGetParamInfo(function("mixed"), i, &offset, &size));
    EXPECT_EQ(offset, expected[i][0]) << i;
    EXPECT_EQ(size, expected[i][1]) << i;
  }
  EXPECT_EQ(cuda().cuFuncGetParamInfo(function("mixed"), 4, &offset, &size),
            CUDA_ERROR_INVALID_VALUE);
  int value = 0;
  EXPECT_OK(cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function("empty")));
  EXPECT_GT(value, 0);
  EXPECT_OK(
      cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function("shared")));
  EXPECT_EQ(value, 1024);
  EXPECT_OK(cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, function("shared")));
  EXPECT_EQ(value, 70);
  EXPECT_EQ(
      cuda().cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(99), function("shared")),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuFuncLoad(function("shared")));
  CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
  EXPECT_OK(cuda().cuFuncIsLoaded(&state, function("shared")));
  EXPECT_EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);
}

TEST_F(LaunchTest, AllBlocksRun) {
  CUdeviceptr out = allocate(4);
  void* parameters[] = {&out};
  EXPECT_OK(
      cuda().cuLaunchKernel(function("count"), 7, 3, 2, 33, 2, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(words(out, 1)[0], 7U * 3 * 2 * 33 * 2);
}

TEST_F(LaunchTest, OccupancyIsConsistent) {
  int blocks = 0;
  EXPECT_OK(cuda().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("fill"), 256, 0));
  EXPECT_GT(blocks, 0);
  EXPECT_EQ(cuda().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("fill"), 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  int grid = 0;
  int block = 0;
  EXPECT_OK(
      cuda().cuOccupancyMaxPotentialBlockSize(&grid, &block, function("fill"), nullptr, 0, 0));
  EXPECT_GT(grid, 0);
  EXPECT_GE(block, 32);
  EXPECT_OK(
      cuda().cuOccupancyMaxPotentialBlockSize(&grid, &block, function("fill"), nullptr, 0, 96));
  EXPECT_LE(block, 96);
  EXPECT_OK(cuda().cuOccupancyMaxPotentialBlockSize(
      &grid, &block, function("fill"),
      [](int size) { return static_cast<std::size_t>(size) * 1024; }, 0, 0));
  EXPECT_LE(block, 256);
  EXPECT_GT(block, 0);
}

TEST_F(LaunchTest, CooperativeOnesHaveToFit) {
  int blocks = 0;
  int processors = 0;
  const CUfunction count = function("count");
  EXPECT_OK(cuda().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 128, 0));
  EXPECT_OK(
      cuda().cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_));
  const auto capacity = static_cast<unsigned>(blocks * processors);
  CUdeviceptr out = allocate(4);
  void* parameters[] = {&out};
  EXPECT_OK(
      cuda().cuLaunchCooperativeKernel(count, capacity, 1, 1, 128, 1, 1, 0, nullptr, parameters));
  EXPECT_EQ(words(out, 1)[0], capacity * 128);
  EXPECT_EQ(cuda().cuLaunchCooperativeKernel(count, capacity + 1, 1, 1, 128, 1, 1, 0, nullptr,
                                             parameters),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config = {};
  config.gridDimX = capacity + 1;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 128;
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_EQ(cuda().cuLaunchKernelEx(&config, count, parameters, nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  config.numAttrs = 0;
  EXPECT_OK(cuda().cuLaunchKernelEx(&config, count, parameters, nullptr));
  EXPECT_OK(cuda().cuCtxSynchronize());
}

class ClusterTest : public LaunchTest {
protected:
  ClusterTest() {
    config_.gridDimX = 16;
    config_.gridDimY = config_.gridDimZ = 1;
    config_.blockDimX = 128;
    config_.blockDimY = config_.blockDimZ = 1;
    config_.attrs = &attribute_;
    config_.numAttrs = 1;
    attribute_.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  }
  CUresult launch_in(unsigned x, unsigned y, unsigned z) {
    attribute_.value.clusterDim = {x, y, z};
    const CUresult result = cuda().cuLaunchKernelEx(&config_, function("empty"), nullptr, nullptr);
    EXPECT_OK(cuda().cuCtxSynchronize());
    return result;
  }
  CUlaunchConfig config_ = {};
  CUlaunchAttribute attribute_ = {};
};

TEST_F(ClusterTest, TheirSizeDividesTheGrid) {
  EXPECT_OK(launch_in(1, 1, 1));
  EXPECT_OK(launch_in(2, 1, 1));
  EXPECT_OK(launch_in(8, 1, 1));
  EXPECT_EQ(launch_in(3, 1, 1), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch_in(2, 2, 1), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch_in(2, 0, 1), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  config_.gridDimY = 4;
  config_.gridDimZ = 2;
  EXPECT_OK(launch_in(2, 2, 2));
}

TEST_F(ClusterTest, MoreThanEightBlocksMustBeAllowed) {
  EXPECT_EQ(launch_in(16, 1, 1), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  const CUfunction kernel = function("empty");
  const auto set = [&](int value) {
    return cuda().cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                     value);
  };
  EXPECT_OK(set(1));
  int value = 0;
  EXPECT_OK(cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                      kernel));
  EXPECT_EQ(value, 1);
  EXPECT_OK(launch_in(16, 1, 1));
  config_.gridDimX = 32;
  EXPECT_EQ(launch_in(32, 1, 1), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_OK(set(0));
  if (cuda().is_simulated) { // NVIDIA's driver takes any number
    EXPECT_EQ(set(2), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_F(ClusterTest, AFunctionMayRequireThem) {
  const CUfunction kernel = function("empty");
  const auto set = [&](CUfunction_attribute attribute, int value) {
    EXPECT_OK(cuda().cuFuncSetAttribute(kernel, attribute, value));
  };
  set(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4);
  set(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1);
  set(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1);
  EXPECT_OK(launch_in(4, 1, 1));
  EXPECT_EQ(launch_in(2, 1, 1), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_OK(launch("empty", 8, 32));
  EXPECT_EQ(launch("empty", 6, 32), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  set(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 0);
  set(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 0);
  set(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 0);
  EXPECT_OK(launch("empty", 6, 32));
}

TEST_F(ClusterTest, AsManyAsThereIsRoomFor) {
  const CUfunction kernel = function("fill");
  int size = 0;
  EXPECT_OK(cuda().cuOccupancyMaxPotentialClusterSize(&size, kernel, &config_));
  EXPECT_EQ(size, 8);
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "GPUs have a number of their own";
  }
  int blocks = 0;
  int processors = 0;
  EXPECT_OK(cuda().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0));
  EXPECT_OK(
      cuda().cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_));
  for (const int of_cluster : {1, 2, 8}) {
    attribute_.value.clusterDim = {static_cast<unsigned>(of_cluster), 1, 1};
    int clusters = 0;
    EXPECT_OK(cuda().cuOccupancyMaxActiveClusters(&clusters, kernel, &config_));
    EXPECT_EQ(clusters, std::max(1, blocks * processors / of_cluster));
  }
  attribute_.value.clusterDim = {3, 1, 1};
  EXPECT_EQ(cuda().cuOccupancyMaxActiveClusters(&size, kernel, &config_),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

class FaultTest : public LaunchTest {
protected:
  CUresult store_to(CUdeviceptr address) {
    void* parameters[] = {&address};
    EXPECT_OK(cuda().cuLaunchKernel(function("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                                    nullptr));
    return cuda().cuCtxSynchronize();
  }
};

TEST_F(FaultTest, StaysUntilTheContextEnds) {
  CUdeviceptr address = allocate(16);
  EXPECT_EQ(store_to(0), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuda().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuda().cuMemFree_v2(address), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuda().cuMemAlloc_v2(&address, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuda().cuMemcpyHtoD_v2(address, &address, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_OK(cuda().cuCtxDestroy_v2(context_));
  context_ = nullptr;
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "after a fault NVIDIA's driver makes no more contexts in the process";
  }
  // Another context is not concerned, and so is none that is made afterwards.
  CUcontext fresh = nullptr;
  ASSERT_OK(cuda().cuCtxCreate_v2(&fresh, 0, device_));
  EXPECT_OK(cuda().cuMemAlloc_v2(&address, 16));
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_OK(cuda().cuCtxDestroy_v2(fresh));
}

TEST_F(FaultTest, KindsAreTold) {
  EXPECT_EQ(store_to(allocate(16) + 1), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(FaultTest, TrapIsALaunchFailure) {
  EXPECT_OK(launch("trap", 1, 1));
  const CUresult result = cuda().cuCtxSynchronize();
  EXPECT_TRUE(result == CUDA_ERROR_LAUNCH_FAILED || result == CUDA_ERROR_ILLEGAL_INSTRUCTION)
      << result;
}

TEST_F(FaultTest, HostMemoryIsOutOfReach) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "some systems let a GPU reach it";
  }
  std::uint32_t word = 3;
  EXPECT_EQ(store_to(reinterpret_cast<CUdeviceptr>(&word)), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(word, 3U);
}

TEST_F(FaultTest, FollowingWorkIsLeftOutAndCallbacksAreTold) {
  CUstream stream = nullptr;
  ASSERT_OK(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  Gate gate;
  gate.close_in(stream);
  CUdeviceptr null = 0;
  void* parameters[] = {&null};
  EXPECT_OK(
      cuda().cuLaunchKernel(function("store"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  // NVIDIA's driver need not have called back when it gives the error to who waits.
  static std::atomic<CUresult> status;
  status = CUDA_ERROR_UNKNOWN;
  EXPECT_OK(cuda().cuStreamAddCallback(
      stream, [](CUstream, CUresult result, void*) { status = result; }, nullptr, 0));
  bool called = false;
  EXPECT_OK(cuda().cuLaunchHostFunc(
      stream, [](void* argument) { *static_cast<bool*>(argument) = true; }, &called));
  gate.open();
  EXPECT_EQ(cuda().cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  if (cuda().is_simulated || status != CUDA_ERROR_UNKNOWN) {
    EXPECT_EQ(status.load(), CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  EXPECT_FALSE(called);
}

} // namespace
