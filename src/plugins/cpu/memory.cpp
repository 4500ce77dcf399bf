// Device memory of a device that is the host: the C library's.
#include "plugins/last_error.h"

#include <cstdlib>
#include <cstring>

#include <gantry/plugin.h>

namespace {
constexpr std::size_t kAlignment = 64;
}

extern "C" {

int32_t __tgt_rtl_data_alloc(int32_t /*device*/, uint64_t size, void** device_address) noexcept {
  if (posix_memalign(device_address, kAlignment, size) != 0) {
    return gantry::plugins::report(GANTRY_OUT_OF_MEMORY, "{} bytes of memory cannot be had", size);
  }
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_data_delete(int32_t /*device*/, void* device_address) noexcept {
  free(device_address);
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_data_submit(int32_t /*device*/, void* device_address, const void* host,
                              uint64_t size) noexcept {
  // Not memcpy: "device memory" may be any of the process's, so that the two ranges can overlap.
  memmove(device_address, host, size);
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_data_retrieve(int32_t /*device*/, void* host, const void* device_address,
                                uint64_t size) noexcept {
  memmove(host, device_address, size);
  return GANTRY_SUCCESS;
}

} // extern "C"
