// Device memory.
#include "plugins/cuda/device.h"

using namespace gantry::cuda;

namespace {

CUdeviceptr address_of(const void* device_address) {
  return reinterpret_cast<CUdeviceptr>(device_address);
}

} // namespace

extern "C" {

int32_t __tgt_rtl_data_alloc(int32_t device, uint64_t size, void** device_address) noexcept {
  Device& on = device_of(device);
  CUdeviceptr address = on.memory.take(size);
  if (address == 0) {
    if (const std::int32_t code = enter(on); code != GANTRY_SUCCESS) {
      return code;
    }
    if (const std::int32_t code = on.memory.allocate(size, address); code != GANTRY_SUCCESS) {
      return code;
    }
  }
  *device_address = reinterpret_cast<void*>(address);
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_data_delete(int32_t device, void* device_address) noexcept {
  Device& on = device_of(device);
  if (on.memory.put_back(address_of(device_address))) {
    return GANTRY_SUCCESS;
  }
  if (const std::int32_t code = enter(on); code != GANTRY_SUCCESS) {
    return code;
  }
  return on.memory.release(address_of(device_address));
}

} // extern "C"
