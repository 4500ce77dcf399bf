#include "plugins/hsa/launch_data.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gantry::hsa {

namespace {
constexpr std::size_t kLeastCapacity = 4096;
}

std::int32_t LaunchData::reserve(Stream& stream, std::size_t size, void** host,
                                 void** device_address) {
  GANTRY_STATUS_TRY(stream.wait(last_));
  if (size > capacity_) {
    GANTRY_STATUS_TRY(release());
    const std::size_t capacity = std::bit_ceil(std::max(size, kLeastCapacity));
    GANTRY_STATUS_TRY(device_.source.allocate_pinned(capacity, memory_));
    capacity_ = capacity;
  }
  *host = *device_address = memory_;
  return GANTRY_SUCCESS;
}

std::int32_t LaunchData::release() {
  capacity_ = 0;
  void* const memory = std::exchange(memory_, nullptr);
  return memory == nullptr ? std::int32_t{GANTRY_SUCCESS} : device_.source.free_pinned(memory);
}

} // namespace gantry::hsa
