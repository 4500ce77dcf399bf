// Device memory.
#include "plugins/cuda/device.h"
#include "plugins/cuda/entries.h"

namespace gantry::cuda::entries {

namespace {

/// All that the contract promises without capabilities; the driver's memory is aligned to more.
constexpr std::uint64_t kAlignment = 64;

CUdeviceptr address_of(const void* device_address) {
  return reinterpret_cast<CUdeviceptr>(device_address);
}

} // namespace

gantry_status allocate(gantry_device* device, const gantry_allocation* request,
                       void** device_address) noexcept {
  if (request->address != 0 && driver().allocate_at != nullptr) {
    GANTRY_STATUS_TRY(enter(*device));
    GANTRY_STATUS_TRY(device->memory.allocate_at(request->bytes, request->address));
    *device_address = reinterpret_cast<void*>(request->address);
    return GANTRY_SUCCESS;
  }
  if (request->address != 0 || request->alignment > kAlignment || request->offset != 0) {
    return report(GANTRY_FAILURE,
                  "the driver chooses where memory begins, and aligns it to {} bytes", kAlignment);
  }
  CUdeviceptr address = device->memory.take(request->bytes);
  if (address == 0) {
    GANTRY_STATUS_TRY(enter(*device));
    GANTRY_STATUS_TRY(device->memory.allocate(request->bytes, address));
  }
  *device_address = reinterpret_cast<void*>(address);
  return GANTRY_SUCCESS;
}

gantry_status release(gantry_device* device, void* device_address) noexcept {
  if (device->memory.put_back(address_of(device_address))) {
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(enter(*device));
  return device->memory.release(address_of(device_address));
}

} // namespace gantry::cuda::entries
