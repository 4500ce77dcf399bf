#include "simt/driver/memory_pool.h"

#include "simt/driver/handles.h"

#include <cstring>

namespace gantry::simt::driver {

namespace {

CUresult give(void* value, std::uint64_t number) {
  std::memcpy(value, &number, sizeof(number));
  return CUDA_SUCCESS;
}

std::uint64_t number_at(const void* value) {
  std::uint64_t number = 0;
  std::memcpy(&number, value, sizeof(number));
  return number;
}

} // namespace

MemoryPool::MemoryPool(Device& device, std::uint64_t most_bytes)
    : device_(device), most_bytes_(most_bytes) {}

std::shared_ptr<MemoryPool> MemoryPool::create(Device& device, std::uint64_t most_bytes) {
  std::shared_ptr<MemoryPool> pool(new MemoryPool(device, most_bytes));
  pool->handle_ = handles().memory_pools.insert(pool);
  return pool;
}

void MemoryPool::count(std::uint64_t bytes) {
  const std::uint64_t now = used_.fetch_add(bytes) + bytes;
  std::uint64_t high = used_high_.load();
  while (high < now && !used_high_.compare_exchange_weak(high, now)) {
  }
}

CUresult MemoryPool::get(CUmemPool_attribute attribute, void* value) const {
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: {
    const int enabled = reuse_[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES].load();
    std::memcpy(value, &enabled, sizeof(enabled));
    return CUDA_SUCCESS;
  }
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    return give(value, release_threshold_.load());
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    return give(value, used_.load());
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return give(value, used_high_.load());
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult MemoryPool::set(CUmemPool_attribute attribute, const void* value) {
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: {
    int enabled = 0;
    std::memcpy(&enabled, value, sizeof(enabled));
    reuse_[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES].store(enabled != 0);
    return CUDA_SUCCESS;
  }
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    release_threshold_.store(number_at(value));
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    // A program can only set them back.
    if (number_at(value) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    used_high_.store(used_.load());
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    break;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace gantry::simt::driver
