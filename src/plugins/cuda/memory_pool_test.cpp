// Which blocks the pool keeps, and that it gives them up before memory is exhausted.
#include "plugins/gpu/memory_pool.h"

#include "plugins/cuda/testing/open_device.h"

namespace gantry::cuda {
namespace {

using MemoryPoolTest = OnDevice;

constexpr std::uint64_t kBlock = 1 << 20;

CUdeviceptr allocate(gpu::MemoryPool& pool, std::uint64_t size) {
  CUdeviceptr address = 0;
  EXPECT_EQ(pool.allocate(size, address), GANTRY_SUCCESS) << plugins::last_error();
  return address;
}

TEST_F(MemoryPoolTest, WhatIsGivenBackIsUsedAgain) {
  gpu::MemoryPool pool(driver_memory());
  pool.keep(4 * kBlock);
  const CUdeviceptr first = allocate(pool, kBlock);
  const CUdeviceptr other = allocate(pool, kBlock - 8);
  const std::size_t free = free_memory();
  ASSERT_EQ(pool.release(first), GANTRY_SUCCESS);
  ASSERT_EQ(pool.release(other), GANTRY_SUCCESS);
  EXPECT_EQ(free_memory(), free);
  EXPECT_EQ(allocate(pool, kBlock - 8), other);
  EXPECT_EQ(allocate(pool, kBlock), first);
  const CUdeviceptr new_one = allocate(pool, kBlock);
  EXPECT_NE(new_one, first);
  pool.keep(0);
  for (const CUdeviceptr address : {first, other, new_one}) {
    EXPECT_EQ(pool.release(address), GANTRY_SUCCESS);
  }
}

TEST_F(MemoryPoolTest, KeepsNoMoreThanItMay) {
  gpu::MemoryPool pool(driver_memory());
  const std::size_t free = free_memory();
  pool.keep(2 * kBlock);
  const CUdeviceptr first = allocate(pool, kBlock);
  const CUdeviceptr second = allocate(pool, kBlock);
  const CUdeviceptr third = allocate(pool, kBlock);
  const CUdeviceptr large = allocate(pool, 3 * kBlock);
  const std::size_t used = free - free_memory();
  for (const CUdeviceptr address : {first, second, third, large}) {
    ASSERT_EQ(pool.release(address), GANTRY_SUCCESS);
  }
  // The large one was too large and the first one went for the third.
  EXPECT_GE(free_memory(), free - used + 4 * kBlock);
  const CUdeviceptr again = allocate(pool, kBlock);
  const CUdeviceptr and_again = allocate(pool, kBlock);
  EXPECT_TRUE((again == second && and_again == third) || (again == third && and_again == second));
  pool.keep(0);
  EXPECT_EQ(pool.release(again), GANTRY_SUCCESS);
  EXPECT_EQ(pool.release(and_again), GANTRY_SUCCESS);
  EXPECT_EQ(free_memory(), free);
}

TEST_F(MemoryPoolTest, KeepsNothingWhereItIsToldTo) {
  gpu::MemoryPool pool(driver_memory());
  const std::size_t free = free_memory();
  EXPECT_EQ(pool.release(allocate(pool, kBlock)), GANTRY_SUCCESS);
  EXPECT_EQ(free_memory(), free);
}

TEST_F(MemoryPoolTest, GivesUpWhatItKeepsBeforeMemoryIsExhausted) {
  gpu::MemoryPool pool(driver_memory());
  const std::size_t free = free_memory();
  pool.keep(free);
  ASSERT_EQ(pool.release(allocate(pool, free / 2)), GANTRY_SUCCESS);
  const CUdeviceptr most = allocate(pool, free - free / 4);
  CUdeviceptr none = 0;
  EXPECT_EQ(pool.allocate(free / 2, none), GANTRY_OUT_OF_MEMORY);
  EXPECT_STREQ(plugins::last_error(),
               fmt::format("{} bytes of device memory cannot be had", free / 2).c_str());
  pool.keep(0);
  EXPECT_EQ(pool.release(most), GANTRY_SUCCESS);
}

TEST_F(MemoryPoolTest, WithoutTheDriverIsWhatIsKept) {
  gpu::MemoryPool pool(driver_memory());
  pool.keep(2 * kBlock);
  EXPECT_EQ(pool.take(kBlock), 0U);
  const CUdeviceptr first = allocate(pool, kBlock);
  const CUdeviceptr second = allocate(pool, kBlock);
  const CUdeviceptr third = allocate(pool, kBlock);
  EXPECT_TRUE(pool.put_back(first));
  EXPECT_TRUE(pool.put_back(second));
  EXPECT_FALSE(pool.put_back(third)); // something has to go for it
  EXPECT_FALSE(pool.put_back(first)); // kept already
  EXPECT_EQ(pool.take(kBlock), second);
  EXPECT_EQ(pool.take(kBlock), first);
  EXPECT_EQ(pool.take(kBlock), 0U);
  pool.keep(0);
  for (const CUdeviceptr address : {first, second, third}) {
    EXPECT_EQ(pool.release(address), GANTRY_SUCCESS);
  }
}

TEST_F(MemoryPoolTest, WhatIsFreedTwiceIsAnError) {
  gpu::MemoryPool pool(driver_memory());
  pool.keep(kBlock);
  const CUdeviceptr address = allocate(pool, kBlock);
  EXPECT_EQ(pool.release(address), GANTRY_SUCCESS);
  EXPECT_EQ(pool.release(address), GANTRY_FAILURE);
  EXPECT_STREQ(plugins::last_error(),
               fmt::format("the memory at {:#x} is freed already", address).c_str());
  EXPECT_EQ(pool.take(kBlock), address);
  pool.keep(0);
  EXPECT_EQ(pool.release(address), GANTRY_SUCCESS);
}

TEST_F(MemoryPoolTest, AnAddressOfNobodyIsAnError) {
  gpu::MemoryPool pool(driver_memory());
  EXPECT_EQ(pool.release(4096), GANTRY_FAILURE);
  pool.keep(kBlock);
  const CUdeviceptr address = allocate(pool, kBlock);
  EXPECT_EQ(pool.release(address + 8), GANTRY_FAILURE);
  pool.keep(0);
  EXPECT_EQ(pool.release(address), GANTRY_SUCCESS);
}

} // namespace
} // namespace gantry::cuda
