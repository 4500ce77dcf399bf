// Memory that programs map themselves.
#include "driver_test.h"

#include <cstring>

namespace {

class VirtualMemoryTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    properties_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties_.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
    ASSERT_OK(cuda().cuMemGetAllocationGranularity(&step_, &properties_,
                                                   CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    access_ = {properties_.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  }
  CUdeviceptr reserve(std::size_t steps, std::size_t alignment = 0) {
    CUdeviceptr address = 0;
    EXPECT_OK(cuda().cuMemAddressReserve(&address, steps * step_, alignment, 0, 0));
    return address;
  }
  CUmemGenericAllocationHandle create(std::size_t steps = 1) {
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_OK(cuda().cuMemCreate(&handle, steps * step_, &properties_, 0));
    return handle;
  }
  void map(CUdeviceptr address, CUmemGenericAllocationHandle handle, std::size_t steps = 1) {
    EXPECT_OK(cuda().cuMemMap(address, steps * step_, 0, handle, 0));
    EXPECT_OK(cuda().cuMemSetAccess(address, steps * step_, &access_, 1));
  }

  CUmemAllocationProp properties_ = {};
  CUmemAccessDesc access_ = {};
  std::size_t step_ = 0;
};

TEST_F(VirtualMemoryTest, GrowsInPlace) {
  // As allocators that extend a segment do it: addresses for all of it, memory piece by piece.
  const CUdeviceptr base = reserve(8);
  EXPECT_EQ(base % step_, 0U);
  std::size_t free_before = 0;
  std::size_t total = 0;
  EXPECT_OK(cuda().cuMemGetInfo_v2(&free_before, &total));
  for (std::size_t i = 0; i < 4; ++i) {
    const CUmemGenericAllocationHandle handle = create();
    map(base + i * step_, handle);
    EXPECT_OK(cuda().cuMemRelease(handle)); // the mapping keeps it
  }
  std::size_t free_after = 0;
  EXPECT_OK(cuda().cuMemGetInfo_v2(&free_after, &total));
  if (cuda().is_simulated) {
    EXPECT_EQ(free_before - free_after, 4 * step_);
  } else {
    EXPECT_GE(free_before - free_after, 4 * step_); // other things of the driver's may need some
  }
  // Kernels and copies pass from one piece to the next.
  const std::size_t count = 4 * step_ / 4;
  EXPECT_OK(cuda().cuMemsetD32_v2(base, 5, count));
  EXPECT_OK(launch_fill(base + step_ - 8, 6, 4));
  const std::vector<std::uint32_t> all = words(base, count);
  EXPECT_EQ(all.front(), 5U);
  EXPECT_EQ(all[step_ / 4 - 3], 5U);
  EXPECT_EQ(all[step_ / 4 - 2], 6U);
  EXPECT_EQ(all[step_ / 4 + 1], 6U);
  EXPECT_EQ(all[step_ / 4 + 2], 5U);
  EXPECT_EQ(all.back(), 5U);
  CUdeviceptr begin = 0;
  std::size_t size = 0;
  EXPECT_OK(cuda().cuMemGetAddressRange_v2(&begin, &size, base + step_ + 12));
  EXPECT_EQ(begin, base + step_);
  EXPECT_EQ(size, step_);
  unsigned type = 0;
  EXPECT_OK(cuda().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, base));
  EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
  EXPECT_OK(cuda().cuMemUnmap(base, 4 * step_));
  EXPECT_OK(cuda().cuMemGetInfo_v2(&free_after, &total));
  if (cuda().is_simulated) {
    EXPECT_EQ(free_before, free_after);
  }
  EXPECT_OK(cuda().cuMemAddressFree(base, 8 * step_));
}

TEST_F(VirtualMemoryTest, TwoMappingsOfOneObjectAreTheSameBytes) {
  const CUdeviceptr one = reserve(1);
  const CUdeviceptr two = reserve(1, 8 << 20);
  EXPECT_EQ(two % (8 << 20), 0U);
  const CUmemGenericAllocationHandle handle = create();
  map(one, handle);
  map(two, handle);
  EXPECT_OK(launch_fill(one, 7, 64));
  EXPECT_EQ(words(two, 64), std::vector<std::uint32_t>(64, 7));
  CUmemGenericAllocationHandle again = 0;
  EXPECT_OK(cuda().cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(two + 100)));
  CUmemAllocationProp given = {};
  EXPECT_OK(cuda().cuMemGetAllocationPropertiesFromHandle(&given, again));
  EXPECT_EQ(given.location.id, device_);
  EXPECT_OK(cuda().cuMemRelease(again));
  EXPECT_OK(cuda().cuMemRelease(handle));
  EXPECT_EQ(cuda().cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  // What was written stays while one of them is there, and is there again in a third.
  EXPECT_OK(cuda().cuMemUnmap(one, step_));
  EXPECT_EQ(words(two, 1)[0], 7U);
  EXPECT_OK(cuda().cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(two)));
  map(one, again);
  EXPECT_EQ(words(one, 1)[0], 7U);
  EXPECT_OK(cuda().cuMemRelease(again));
  EXPECT_OK(cuda().cuMemUnmap(one, step_));
  EXPECT_OK(cuda().cuMemUnmap(two, step_));
  // Other memory has other bytes.
  map(one, create());
  EXPECT_EQ(words(one, 1)[0], 0U);
}

TEST_F(VirtualMemoryTest, WhatIsNotMappedOrGivenCannotBeAccessed) {
  const CUdeviceptr base = reserve(2);
  std::uint32_t word = 0;
  EXPECT_EQ(cuda().cuMemcpyDtoH_v2(&word, base, 4), CUDA_ERROR_INVALID_VALUE);
  const CUmemGenericAllocationHandle handle = create();
  EXPECT_OK(cuda().cuMemMap(base, step_, 0, handle, 0));
  EXPECT_EQ(cuda().cuMemcpyDtoH_v2(&word, base, 4), CUDA_ERROR_INVALID_VALUE);
  unsigned long long flags = 9;
  EXPECT_OK(cuda().cuMemGetAccess(&flags, &properties_.location, base));
  EXPECT_EQ(flags, static_cast<unsigned long long>(CU_MEM_ACCESS_FLAGS_PROT_NONE));
  EXPECT_OK(cuda().cuMemSetAccess(base, step_, &access_, 1));
  EXPECT_OK(cuda().cuMemcpyDtoH_v2(&word, base, 4));
  EXPECT_OK(cuda().cuMemGetAccess(&flags, &properties_.location, base));
  EXPECT_EQ(flags, static_cast<unsigned long long>(CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  EXPECT_EQ(cuda().cuMemcpyDtoH_v2(&word, base + step_ - 2, 4), CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr behind = base + step_;
  void* parameters[] = {&behind};
  testing::internal::CaptureStderr();
  EXPECT_OK(
      cuda().cuLaunchKernel(function("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(cuda().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::string report = testing::internal::GetCapturedStderr();
  if (cuda().is_simulated) {
    EXPECT_NE(report.find("into reserved addresses of"), std::string::npos) << report;
    EXPECT_NE(report.find("hint: map memory there"), std::string::npos) << report;
  }
}

TEST_F(VirtualMemoryTest, WrongArgumentsAreRefused) {
  const CUdeviceptr base = reserve(4);
  const CUmemGenericAllocationHandle handle = create(2);
  const auto map_at = [&](CUdeviceptr address, std::size_t bytes, std::size_t offset = 0) {
    return cuda().cuMemMap(address, bytes, offset, handle, 0);
  };
  CUdeviceptr address = 0;
  EXPECT_EQ(cuda().cuMemAddressReserve(&address, step_ + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemAddressReserve(&address, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemAddressReserve(&address, step_, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemAddressReserve(nullptr, step_, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  // An object is mapped as a whole.
  EXPECT_EQ(map_at(base, step_), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(map_at(base, 3 * step_), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(map_at(base, step_, step_), CUDA_ERROR_NOT_SUPPORTED);
  if (cuda().is_simulated) { // NVIDIA's driver maps it behind the reservation, too
    EXPECT_EQ(map_at(base + 4096, 2 * step_), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(map_at(base + 3 * step_, 2 * step_), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(map_at(allocate(2 * step_), 2 * step_), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_OK(map_at(base + step_, 2 * step_));
  EXPECT_EQ(map_at(base, 2 * step_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map_at(base + 2 * step_, 2 * step_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemSetAccess(base, 2 * step_, &access_, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemSetAccess(base + step_, step_, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemUnmap(base + step_, step_), CUDA_ERROR_INVALID_VALUE); // a part of one
  EXPECT_EQ(cuda().cuMemUnmap(base, 2 * step_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuMemUnmap(base, step_)); // nothing there
  EXPECT_EQ(cuda().cuMemAddressFree(base, 4 * step_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuMemUnmap(base, 4 * step_));
  EXPECT_EQ(cuda().cuMemAddressFree(base, step_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuMemAddressFree(base, 4 * step_));
  if (cuda().is_simulated) { // NVIDIA's driver may have kept the addresses
    EXPECT_EQ(map_at(base, 2 * step_), CUDA_ERROR_INVALID_VALUE);
  }
  CUmemGenericAllocationHandle other = 0;
  EXPECT_EQ(cuda().cuMemCreate(&other, 100, &properties_, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemCreate(&other, std::size_t{1} << 50, &properties_, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  if (cuda().is_simulated) {
    properties_.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC; // which some machines have
    EXPECT_EQ(cuda().cuMemCreate(&other, step_, &properties_, 0), CUDA_ERROR_NOT_SUPPORTED);
    // NVIDIA's driver takes any number for a handle.
    EXPECT_EQ(cuda().cuMemRelease(12345), CUDA_ERROR_INVALID_VALUE);
  }
}

} // namespace
