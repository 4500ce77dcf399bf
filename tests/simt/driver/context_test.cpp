#include "driver_test.h"

#include <thread>

namespace {

class ContextTest : public DriverTest {};

CUcontext current() {
  CUcontext context = nullptr;
  EXPECT_OK(cuda().cuCtxGetCurrent(&context));
  return context;
}

TEST_F(ContextTest, IsCurrentWhenCreated) {
  EXPECT_EQ(current(), context_);
  CUdevice device = -1;
  EXPECT_OK(cuda().cuCtxGetDevice(&device));
  EXPECT_EQ(device, device_);
}

TEST_F(ContextTest, ThreadsHaveNoneAtFirst) {
  std::thread([] {
    EXPECT_EQ(current(), nullptr);
    CUdevice device = -1;
    EXPECT_EQ(cuda().cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
    CUdeviceptr address = 0;
    EXPECT_EQ(cuda().cuMemAlloc_v2(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuda().cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuda().cuCtxPopCurrent_v2(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
}

TEST_F(ContextTest, IsAStack) {
  CUcontext second = nullptr;
  ASSERT_OK(cuda().cuCtxCreate_v2(&second, 0, device_));
  EXPECT_EQ(current(), second);
  EXPECT_OK(cuda().cuCtxPushCurrent_v2(context_));
  EXPECT_EQ(current(), context_);
  CUcontext popped = nullptr;
  EXPECT_OK(cuda().cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, context_);
  EXPECT_EQ(current(), second);
  EXPECT_OK(cuda().cuCtxDestroy_v2(second));
  EXPECT_EQ(current(), context_);
}

TEST_F(ContextTest, SetCurrentReplacesTheTop) {
  CUcontext second = nullptr;
  ASSERT_OK(cuda().cuCtxCreate_v2(&second, 0, device_));
  EXPECT_OK(cuda().cuCtxSetCurrent(context_));
  EXPECT_EQ(current(), context_);
  EXPECT_OK(cuda().cuCtxSetCurrent(nullptr));
  EXPECT_EQ(current(), context_); // the one beneath
  EXPECT_OK(cuda().cuCtxDestroy_v2(second));
}

TEST_F(ContextTest, DestroyedOneIsRefused) {
  CUcontext second = nullptr;
  ASSERT_OK(cuda().cuCtxCreate_v2(&second, 0, device_));
  EXPECT_OK(cuda().cuCtxDestroy_v2(second));
  if (cuda().is_simulated) { // NVIDIA's driver follows the pointer
    EXPECT_EQ(cuda().cuCtxSetCurrent(second), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuda().cuCtxDestroy_v2(second), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuda().cuCtxPushCurrent_v2(reinterpret_cast<CUcontext>(0x1234)),
              CUDA_ERROR_INVALID_CONTEXT);
  }
}

TEST_F(ContextTest, DestroyedOnAnotherThreadIsNoticed) {
  CUcontext second = nullptr;
  ASSERT_OK(cuda().cuCtxCreate_v2(&second, 0, device_));
  std::thread([second] { EXPECT_OK(cuda().cuCtxDestroy_v2(second)); }).join();
  CUdeviceptr address = 0;
  EXPECT_EQ(cuda().cuMemAlloc_v2(&address, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_OK(cuda().cuCtxPopCurrent_v2(nullptr));
}

TEST_F(ContextTest, DestroyingEndsWhatWasMadeInIt) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "NVIDIA's driver follows stale handles";
  }
  CUcontext second = nullptr;
  ASSERT_OK(cuda().cuCtxCreate_v2(&second, 0, device_));
  CUmodule module = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&module, kKernels));
  CUfunction function = nullptr;
  ASSERT_OK(cuda().cuModuleGetFunction(&function, module, "empty"));
  CUstream stream = nullptr;
  ASSERT_OK(cuda().cuStreamCreate(&stream, 0));
  CUevent event = nullptr;
  ASSERT_OK(cuda().cuEventCreate(&event, 0));
  CUdeviceptr address = 0;
  ASSERT_OK(cuda().cuMemAlloc_v2(&address, 1000));
  EXPECT_OK(cuda().cuCtxDestroy_v2(second));

  EXPECT_EQ(cuda().cuModuleGetFunction(&function, module, "empty"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ContextTest, PrimaryIsCounted) {
  unsigned flags = 99;
  int active = 99;
  EXPECT_OK(cuda().cuDevicePrimaryCtxGetState(device_, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_OK(cuda().cuDevicePrimaryCtxSetFlags_v2(device_, CU_CTX_SCHED_BLOCKING_SYNC));
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  EXPECT_OK(cuda().cuDevicePrimaryCtxRetain(&first, device_));
  EXPECT_OK(cuda().cuDevicePrimaryCtxRetain(&second, device_));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, context_);
  EXPECT_OK(cuda().cuDevicePrimaryCtxGetState(device_, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_EQ(flags & CU_CTX_SCHED_MASK, static_cast<unsigned>(CU_CTX_SCHED_BLOCKING_SYNC));
  EXPECT_OK(cuda().cuDevicePrimaryCtxRelease_v2(device_));
  EXPECT_OK(cuda().cuDevicePrimaryCtxGetState(device_, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_OK(cuda().cuDevicePrimaryCtxRelease_v2(device_));
  EXPECT_OK(cuda().cuDevicePrimaryCtxGetState(device_, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_EQ(cuda().cuDevicePrimaryCtxRelease_v2(device_), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(ContextTest, KeepsLimits) {
  std::size_t value = 0;
  EXPECT_OK(cuda().cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
  EXPECT_GT(value, 0U);
  EXPECT_OK(cuda().cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20));
  EXPECT_OK(cuda().cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
  EXPECT_GE(value, std::size_t{2} << 20);
  EXPECT_EQ(cuda().cuCtxGetLimit(&value, static_cast<CUlimit>(77)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuCtxSetLimit(static_cast<CUlimit>(77), 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ContextTest, AThreadHasAtMostHalfAMegabyteOfLocalMemory) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "another driver may have another limit";
  }
  std::size_t before = 0;
  std::size_t value = 0;
  ASSERT_OK(cuda().cuCtxGetLimit(&before, CU_LIMIT_STACK_SIZE));
  for (const std::size_t wish : {std::size_t{1} << 30, std::size_t{8} << 30}) {
    EXPECT_OK(cuda().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, wish));
    EXPECT_OK(cuda().cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    EXPECT_EQ(value, std::size_t{512} << 10);
  }
  EXPECT_OK(cuda().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, before));
}

TEST_F(ContextTest, SaysItsVersionAndFlags) {
  unsigned version = 0;
  EXPECT_OK(cuda().cuCtxGetApiVersion(context_, &version));
  EXPECT_GE(version, 3010U);
  unsigned flags = 99;
  EXPECT_OK(cuda().cuCtxGetFlags(&flags));
  unsigned long long id = 0;
  EXPECT_OK(cuda().cuCtxGetId(context_, &id));
  CUcontext bad = nullptr;
  EXPECT_EQ(cuda().cuCtxCreate_v2(&bad, 0x10000, device_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuCtxCreate_v2(nullptr, 0, device_), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ContextTest, PeersAreOfOtherDevices) {
  EXPECT_EQ(cuda().cuCtxEnablePeerAccess(context_, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  int count = 0;
  EXPECT_OK(cuda().cuDeviceGetCount(&count));
  if (count < 2) {
    GTEST_SKIP() << "there is one device only";
  }
  CUcontext peer = nullptr;
  ASSERT_OK(cuda().cuCtxCreate_v2(&peer, 0, 1));
  const CUdeviceptr there = allocate(64);
  EXPECT_OK(cuda().cuCtxSetCurrent(context_));
  EXPECT_OK(cuda().cuCtxEnablePeerAccess(peer, 0));
  EXPECT_EQ(cuda().cuCtxEnablePeerAccess(peer, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  const CUdeviceptr here = allocate(64);
  EXPECT_OK(cuda().cuMemsetD32_v2(here, 9, 16));
  EXPECT_OK(cuda().cuMemcpyPeer(there, peer, here, context_, 64));
  EXPECT_EQ(words(there, 1)[0], 9U);
  EXPECT_OK(cuda().cuCtxDisablePeerAccess(peer));
  EXPECT_EQ(cuda().cuCtxDisablePeerAccess(peer), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_OK(cuda().cuCtxDestroy_v2(peer));
}

} // namespace
