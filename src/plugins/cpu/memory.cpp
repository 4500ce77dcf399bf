// Device memory of a device that is the host: the C library's.
#include "plugins/cpu/entries.h"
#include "plugins/last_error.h"

#include <cstdlib>
#include <cstring>

namespace gantry::cpu::entries {

namespace {
constexpr std::size_t kAlignment = 64;
}

gantry_status allocate(gantry_device* /*device*/, const gantry_allocation* request,
                       void** device_address) noexcept {
  if (posix_memalign(device_address, kAlignment, request->bytes) != 0) {
    return plugins::report(GANTRY_OUT_OF_MEMORY, "{} bytes of memory cannot be had",
                           request->bytes);
  }
  return GANTRY_SUCCESS;
}

gantry_status release(gantry_device* /*device*/, void* device_address) noexcept {
  free(device_address);
  return GANTRY_SUCCESS;
}

gantry_status copy_to_device(gantry_device* /*device*/, void* device_address, const void* host,
                             std::uint64_t bytes) noexcept {
  // Not memcpy: "device memory" may be any of the process's, so that the two ranges can overlap.
  memmove(device_address, host, bytes);
  return GANTRY_SUCCESS;
}

gantry_status copy_to_host(gantry_device* /*device*/, void* host, const void* device_address,
                           std::uint64_t bytes) noexcept {
  memmove(host, device_address, bytes);
  return GANTRY_SUCCESS;
}

} // namespace gantry::cpu::entries
