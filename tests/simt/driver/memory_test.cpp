#include "driver_test.h"

#include <cstring>
#include <vector>

namespace {

class MemoryTest : public DriverTest {};

TEST_F(MemoryTest, AllocatesAligned) {
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
  EXPECT_OK(cuda().cuMemAlloc_v2(&a, 1));
  EXPECT_OK(cuda().cuMemAlloc_v2(&b, 65591));
  EXPECT_EQ(a % 256, 0U);
  EXPECT_EQ(b % 256, 0U);
  EXPECT_OK(cuda().cuMemFree_v2(a));
  EXPECT_OK(cuda().cuMemFree_v2(b));
}

TEST_F(MemoryTest, BadRequestsAreRefused) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuda().cuMemAlloc_v2(&address, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemAlloc_v2(nullptr, 16), CUDA_ERROR_INVALID_VALUE);
  address = 77;
  EXPECT_EQ(cuda().cuMemAlloc_v2(&address, std::size_t{1} << 60), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(address, 0U);
  EXPECT_OK(cuda().cuMemFree_v2(0));
  EXPECT_EQ(cuda().cuMemFree_v2(0x1000), CUDA_ERROR_INVALID_VALUE);
  const CUdeviceptr good = allocate(256);
  EXPECT_EQ(cuda().cuMemFree_v2(good + 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuMemFree_v2(good));
  EXPECT_EQ(cuda().cuMemFree_v2(good), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, IsCounted) {
  std::size_t free_before = 0;
  std::size_t total = 0;
  EXPECT_OK(cuda().cuMemGetInfo_v2(&free_before, &total));
  const CUdeviceptr address = allocate(32 << 20);
  std::size_t free_then = 0;
  EXPECT_OK(cuda().cuMemGetInfo_v2(&free_then, &total));
  EXPECT_LE(free_then + (32 << 20), free_before);
  EXPECT_OK(cuda().cuMemFree_v2(address));
}

TEST_F(MemoryTest, RangesAreFoundFromInside) {
  const CUdeviceptr address = allocate(1000);
  CUdeviceptr base = 0;
  std::size_t size = 0;
  EXPECT_OK(cuda().cuMemGetAddressRange_v2(&base, &size, address + 999));
  EXPECT_EQ(base, address);
  EXPECT_EQ(size, 1000U);
  EXPECT_OK(cuda().cuMemGetAddressRange_v2(nullptr, &size, address));
  EXPECT_OK(cuda().cuMemGetAddressRange_v2(&base, nullptr, address));
  EXPECT_NE(cuda().cuMemGetAddressRange_v2(&base, &size, 0x1000), CUDA_SUCCESS);
}

TEST_F(MemoryTest, HostMemoryIsOneForBoth) {
  void* host = nullptr;
  ASSERT_OK(cuda().cuMemAllocHost_v2(&host, 256));
  CUdeviceptr device = 0;
  EXPECT_OK(cuda().cuMemHostGetDevicePointer_v2(&device, host, 0));
  EXPECT_OK(launch_fill(device, 8, 64));
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(static_cast<std::uint32_t*>(host)[63], 8U);
  EXPECT_EQ(cuda().cuMemFree_v2(device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuMemFreeHost(host));
  EXPECT_EQ(cuda().cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
  unsigned flags = 0;
  ASSERT_OK(cuda().cuMemHostAlloc(&host, 256, CU_MEMHOSTALLOC_PORTABLE));
  EXPECT_OK(cuda().cuMemHostGetFlags(&flags, host));
  EXPECT_NE(flags & CU_MEMHOSTALLOC_PORTABLE, 0U);
  EXPECT_OK(cuda().cuMemFreeHost(host));
  EXPECT_EQ(cuda().cuMemHostAlloc(&host, 256, 0x800), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, RegisteredMemoryIsTheDevicesToo) {
  alignas(4096) static std::uint32_t memory[1024];
  std::memset(memory, 0, sizeof(memory));
  CUdeviceptr device = 0;
  EXPECT_EQ(cuda().cuMemHostGetDevicePointer_v2(&device, memory, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuda().cuMemHostRegister_v2(memory, sizeof(memory), CU_MEMHOSTREGISTER_DEVICEMAP));
  EXPECT_EQ(cuda().cuMemHostRegister_v2(memory, sizeof(memory), 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  ASSERT_OK(cuda().cuMemHostGetDevicePointer_v2(&device, memory, 0));
  EXPECT_OK(launch_fill(device, 5, 1024));
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(memory[1023], 5U);
  EXPECT_OK(cuda().cuMemHostUnregister(memory));
  EXPECT_EQ(cuda().cuMemHostUnregister(memory), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(MemoryTest, ManagedMemory) {
  CUdeviceptr address = 0;
  ASSERT_OK(cuda().cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
  CUdeviceptr none = 0;
  EXPECT_EQ(cuda().cuMemAllocManaged(&none, 4096, 0), CUDA_ERROR_INVALID_VALUE);
  auto* const words = reinterpret_cast<std::uint32_t*>(address);
  words[0] = 1;
  EXPECT_OK(launch_fill(address, 6, 1024));
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(words[0], 6U);
  EXPECT_OK(cuda().cuMemAdvise(address, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, device_));
  EXPECT_OK(cuda().cuMemPrefetchAsync(address, 4096, device_, nullptr));
  EXPECT_OK(cuda().cuMemPrefetchAsync(address, 4096, CU_DEVICE_CPU, nullptr));
  EXPECT_EQ(cuda().cuMemPrefetchAsync(0x1000, 4096, device_, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuCtxSynchronize());
  unsigned is_managed = 0;
  EXPECT_OK(cuda().cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
  EXPECT_EQ(is_managed, 1U);
  EXPECT_OK(cuda().cuMemFree_v2(address));
}

TEST_F(MemoryTest, PointersHaveAttributes) {
  const CUdeviceptr address = allocate(640);
  unsigned type = 0;
  EXPECT_OK(cuda().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address + 5));
  EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
  CUdeviceptr start = 0;
  EXPECT_OK(
      cuda().cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address + 5));
  EXPECT_EQ(start, address);
  std::size_t size = 0;
  EXPECT_OK(cuda().cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address));
  EXPECT_EQ(size, 640U);
  CUcontext context = nullptr;
  EXPECT_OK(cuda().cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address));
  EXPECT_EQ(context, context_);
  int on_stack = 0;
  const auto foreign = reinterpret_cast<CUdeviceptr>(&on_stack);
  EXPECT_EQ(cuda().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, foreign),
            CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute both[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  int ordinal = 0;
  void* data[] = {&type, &ordinal};
  EXPECT_OK(cuda().cuPointerGetAttributes(2, both, data, foreign));
  EXPECT_EQ(type, 0U);
  EXPECT_EQ(ordinal, CU_DEVICE_INVALID);
}

TEST_F(MemoryTest, PitchIsAligned) {
  CUdeviceptr address = 0;
  std::size_t pitch = 0;
  EXPECT_OK(cuda().cuMemAllocPitch_v2(&address, &pitch, 100, 7, 4));
  EXPECT_GE(pitch, 100U);
  EXPECT_EQ(pitch % 32, 0U);
  EXPECT_OK(cuda().cuMemFree_v2(address));
  EXPECT_EQ(cuda().cuMemAllocPitch_v2(&address, &pitch, 100, 7, 3), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, InTheOrderOfStreams) {
  CUmemoryPool pool = nullptr;
  ASSERT_OK(cuda().cuDeviceGetDefaultMemPool(&pool, device_));
  std::uint64_t threshold = UINT64_MAX;
  EXPECT_OK(cuda().cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  threshold = 0;
  EXPECT_OK(cuda().cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  EXPECT_EQ(threshold, UINT64_MAX);
  CUstream stream = nullptr;
  ASSERT_OK(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr address = 0;
  ASSERT_OK(cuda().cuMemAllocAsync(&address, 4096, stream));
  EXPECT_OK(launch_fill(address, 11, 1024, stream));
  std::vector<std::uint32_t> host(1024);
  EXPECT_OK(cuda().cuMemcpyDtoHAsync_v2(host.data(), address, 4096, stream));
  EXPECT_OK(cuda().cuMemFreeAsync(address, stream));
  EXPECT_OK(cuda().cuStreamSynchronize(stream));
  EXPECT_EQ(host, std::vector<std::uint32_t>(1024, 11));
  std::uint64_t used = 1;
  EXPECT_OK(cuda().cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT_EQ(used, 0U);
  EXPECT_NE(cuda().cuMemFreeAsync(0x1000, stream), CUDA_SUCCESS);
  EXPECT_OK(cuda().cuMemPoolTrimTo(pool, 0));
  EXPECT_NE(cuda().cuMemPoolDestroy(pool), CUDA_SUCCESS);
}

} // namespace
