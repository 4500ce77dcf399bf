// Device memory, and copies that are done when the call returns.
#include "plugins/cuda/device.h"

using namespace gantry::cuda;

namespace {

CUdeviceptr address_of(const void* device_address) {
  return reinterpret_cast<CUdeviceptr>(device_address);
}

} // namespace

extern "C" {

int32_t __tgt_rtl_data_alloc(int32_t device, uint64_t size, void** device_address) {
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

int32_t __tgt_rtl_data_delete(int32_t device, void* device_address) {
  Device& on = device_of(device);
  if (on.memory.put_back(address_of(device_address))) {
    return GANTRY_SUCCESS;
  }
  if (const std::int32_t code = enter(on); code != GANTRY_SUCCESS) {
    return code;
  }
  return on.memory.release(address_of(device_address));
}

int32_t __tgt_rtl_data_submit(int32_t device, void* device_address, const void* host,
                              uint64_t size) {
  if (const std::int32_t code = enter(device_of(device)); code != GANTRY_SUCCESS) {
    return code;
  }
  return check(driver().cuMemcpyHtoD_v2(address_of(device_address), host, size), "cuMemcpyHtoD");
}

int32_t __tgt_rtl_data_retrieve(int32_t device, void* host, const void* device_address,
                                uint64_t size) {
  if (const std::int32_t code = enter(device_of(device)); code != GANTRY_SUCCESS) {
    return code;
  }
  return check(driver().cuMemcpyDtoH_v2(host, address_of(device_address), size), "cuMemcpyDtoH");
}

int32_t __tgt_rtl_data_exchange(int32_t from_device, const void* from, int32_t to_device, void* to,
                                uint64_t size) {
  const Device& source = device_of(from_device);
  const Device& target = device_of(to_device);
  if (const std::int32_t code = enter(target); code != GANTRY_SUCCESS) {
    return code;
  }
  return check(
      driver().cuMemcpyPeer(address_of(to), target.context, address_of(from), source.context, size),
      "cuMemcpyPeer");
}

} // extern "C"
