#include "plugins/cuda/sources.h"

namespace gantry::cuda {

std::int32_t DriverMemory::allocate(std::uint64_t size, CUdeviceptr& address) {
  GANTRY_CUDA_TRY(cuMemAlloc_v2, &address, size);
  return GANTRY_SUCCESS;
}

std::int32_t DriverMemory::free(CUdeviceptr address) {
  GANTRY_CUDA_TRY(cuMemFree_v2, address);
  return GANTRY_SUCCESS;
}

std::int32_t DriverMemory::allocate_at(std::uint64_t size, CUdeviceptr address) {
  return check(driver().allocate_at(address, size), "gantry_simt_allocate_at");
}

void DriverMemory::set_freed(CUdeviceptr address, std::uint64_t size, bool freed) {
  if (driver().set_freed != nullptr) {
    driver().set_freed(address, size, freed ? 1 : 0);
  }
}

std::int32_t DriverMemory::allocate_pinned(std::size_t size, void*& memory) {
  GANTRY_CUDA_TRY(cuMemHostAlloc, &memory, size, 0);
  return GANTRY_SUCCESS;
}

std::int32_t DriverMemory::free_pinned(void* memory) {
  GANTRY_CUDA_TRY(cuMemFreeHost, memory);
  return GANTRY_SUCCESS;
}

DriverMemory& driver_memory() {
  static constinit DriverMemory memory;
  return memory;
}

StreamCopies::~StreamCopies() {
  for (const CUevent event : done_) {
    if (event != nullptr) {
      (void)driver().cuEventDestroy_v2(event);
    }
  }
}

std::int32_t StreamCopies::mark(unsigned buffer) {
  if (done_[buffer] == nullptr) {
    GANTRY_CUDA_TRY(cuEventCreate, &done_[buffer], CU_EVENT_DISABLE_TIMING);
  }
  GANTRY_CUDA_TRY(cuEventRecord, done_[buffer], stream_);
  return GANTRY_SUCCESS;
}

std::int32_t StreamCopies::copy_in(unsigned buffer, void* to, const std::byte* memory,
                                   std::size_t size) {
  GANTRY_CUDA_TRY(cuMemcpyHtoDAsync_v2, reinterpret_cast<CUdeviceptr>(to), memory, size, stream_);
  return mark(buffer);
}

std::int32_t StreamCopies::copy_out(unsigned buffer, std::byte* memory, const void* from,
                                    std::size_t size) {
  GANTRY_CUDA_TRY(cuMemcpyDtoHAsync_v2, memory, reinterpret_cast<CUdeviceptr>(from), size, stream_);
  return mark(buffer);
}

std::int32_t StreamCopies::wait_for(unsigned buffer) {
  if (done_[buffer] != nullptr) {
    GANTRY_CUDA_TRY(cuEventSynchronize, done_[buffer]);
  }
  return GANTRY_SUCCESS;
}

} // namespace gantry::cuda
