#include "plugins/cuda/launch_data.h"

#include <algorithm>
#include <bit>

namespace gantry::cuda {

namespace {
constexpr std::size_t kLeastCapacity = 4096;
}

std::int32_t LaunchData::grow(CUstream stream, std::size_t size) {
  GANTRY_STATUS_TRY(enter(of_));
  GANTRY_CUDA_TRY(cuStreamSynchronize, stream);
  GANTRY_STATUS_TRY(release());
  const std::size_t capacity = std::bit_ceil(std::max(size, kLeastCapacity));
  void* host = nullptr;
  GANTRY_CUDA_TRY(cuMemHostAlloc, &host, capacity, 0);
  host_ = static_cast<std::byte*>(host);
  device_ = reinterpret_cast<CUdeviceptr>(host);
  if (!of_.integrated) {
    device_ = 0;
    GANTRY_CUDA_TRY(cuMemAlloc_v2, &device_, capacity);
  }
  capacity_ = capacity;
  size_ = capacity;
  return GANTRY_SUCCESS;
}

std::int32_t LaunchData::reserve(CUstream stream, std::size_t size, void** host,
                                 void** device_address) {
  if (size > capacity_) {
    GANTRY_STATUS_TRY(grow(stream, size));
  }
  if (size != size_ && driver().set_freed != nullptr) {
    // What is behind the room is nobody's.
    driver().set_freed(device_, capacity_, 1);
    driver().set_freed(device_, size, 0);
  }
  size_ = size;
  written_ = true;
  *host = host_;
  *device_address = reinterpret_cast<void*>(device_);
  return GANTRY_SUCCESS;
}

std::int32_t LaunchData::copy(CUstream stream) {
  written_ = false;
  return check_in_context(of_, "cuMemcpyHtoDAsync", [&] {
    return driver().cuMemcpyHtoDAsync_v2(device_, host_, size_, stream);
  });
}

std::int32_t LaunchData::release() {
  std::int32_t status = GANTRY_SUCCESS;
  if (!of_.integrated && device_ != 0) {
    keep_failure(status, check(driver().cuMemFree_v2(device_), "cuMemFree"));
  }
  if (host_ != nullptr) {
    keep_failure(status, check(driver().cuMemFreeHost(host_), "cuMemFreeHost"));
  }
  host_ = nullptr;
  device_ = 0;
  capacity_ = size_ = 0;
  return status;
}

} // namespace gantry::cuda
