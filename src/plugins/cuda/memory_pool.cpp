#include "plugins/cuda/memory_pool.h"

#include "plugins/cuda/driver.h"

namespace gantry::cuda {

void MemoryPool::keep(std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  most_ = most;
}

CUdeviceptr MemoryPool::take(std::uint64_t size) {
  const auto found = kept_by_size_.find(size);
  if (found == kept_by_size_.end()) {
    return 0;
  }
  const CUdeviceptr address = found->second->address;
  kept_.erase(found->second);
  kept_by_size_.erase(found);
  kept_bytes_ -= size;
  return address;
}

std::int32_t MemoryPool::shrink(std::uint64_t bytes) {
  while (kept_bytes_ > bytes) {
    const CUdeviceptr address = kept_.front().address;
    const auto [first, last] = kept_by_size_.equal_range(kept_.front().size);
    for (auto entry = first; entry != last; ++entry) {
      if (entry->second == kept_.begin()) {
        kept_by_size_.erase(entry);
        break;
      }
    }
    kept_bytes_ -= kept_.front().size;
    kept_.pop_front();
    GANTRY_CUDA_TRY(cuMemFree_v2, address);
  }
  return GANTRY_SUCCESS;
}

std::int32_t MemoryPool::allocate(std::uint64_t size, CUdeviceptr& address) {
  const std::lock_guard lock(mutex_);
  address = take(size);
  if (address == 0) {
    CUresult result = driver().cuMemAlloc_v2(&address, size);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && kept_bytes_ > 0) {
      if (const std::int32_t code = shrink(0); code != GANTRY_SUCCESS) {
        return code;
      }
      result = driver().cuMemAlloc_v2(&address, size);
    }
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
      return report(GANTRY_OUT_OF_MEMORY, "{} bytes of device memory cannot be had", size);
    }
    if (const std::int32_t code = check(result, "cuMemAlloc"); code != GANTRY_SUCCESS) {
      return code;
    }
  }
  sizes_.emplace(address, size);
  return GANTRY_SUCCESS;
}

std::int32_t MemoryPool::release(CUdeviceptr address) {
  const std::lock_guard lock(mutex_);
  const auto found = sizes_.find(address);
  if (found == sizes_.end() || found->second > most_) {
    if (found != sizes_.end()) {
      sizes_.erase(found);
    }
    GANTRY_CUDA_TRY(cuMemFree_v2, address);
    return GANTRY_SUCCESS;
  }
  const std::uint64_t size = found->second;
  sizes_.erase(found);
  if (const std::int32_t code = shrink(most_ - size); code != GANTRY_SUCCESS) {
    return code;
  }
  kept_.push_back({address, size});
  kept_by_size_.emplace(size, std::prev(kept_.end()));
  kept_bytes_ += size;
  return GANTRY_SUCCESS;
}

} // namespace gantry::cuda
