// Device memory.
#include "plugins/hsa/device.h"
#include "plugins/hsa/entries.h"

namespace gantry::hsa::entries {

namespace {

/// All that the contract promises without capabilities; the runtime's memory is aligned to more.
constexpr std::uint64_t kAlignment = 64;

gpu::DeviceAddress address_of(const void* device_address) {
  return reinterpret_cast<gpu::DeviceAddress>(device_address);
}

} // namespace

gantry_status allocate(gantry_device* device, const gantry_allocation* request,
                       void** device_address) noexcept {
  if (request->address != 0 && library().allocate_at != nullptr) {
    GANTRY_STATUS_TRY(usable(*device));
    GANTRY_STATUS_TRY(device->memory.allocate_at(request->bytes, request->address));
    *device_address = pointer_to(request->address);
    return GANTRY_SUCCESS;
  }
  if (request->address != 0 || request->alignment > kAlignment || request->offset != 0) {
    return report(GANTRY_FAILURE,
                  "the HSA runtime chooses where memory begins, and aligns it to {} bytes",
                  kAlignment);
  }
  GANTRY_STATUS_TRY(usable(*device));
  gpu::DeviceAddress address = 0;
  GANTRY_STATUS_TRY(device->memory.allocate(request->bytes, address));
  *device_address = pointer_to(address);
  return GANTRY_SUCCESS;
}

gantry_status release(gantry_device* device, void* device_address) noexcept {
  GANTRY_STATUS_TRY(usable(*device));
  return device->memory.release(address_of(device_address));
}

} // namespace gantry::hsa::entries
