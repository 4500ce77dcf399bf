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
  if (const std::int32_t code = enter(device_of(device)); code != GANTRY_SUCCESS) {
    return code;
  }
  CUdeviceptr address = 0;
  const CUresult result = driver().cuMemAlloc_v2(&address, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    return report(GANTRY_OUT_OF_MEMORY, "{} bytes of device memory cannot be had", size);
  }
  *device_address = reinterpret_cast<void*>(address);
  return check(result, "cuMemAlloc");
}

int32_t __tgt_rtl_data_delete(int32_t device, void* device_address) {
  if (const std::int32_t code = enter(device_of(device)); code != GANTRY_SUCCESS) {
    return code;
  }
  return check(driver().cuMemFree_v2(address_of(device_address)), "cuMemFree");
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

} // extern "C"
