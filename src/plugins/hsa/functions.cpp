// Functions called by pointer: the device's side of their tables.
#include "plugins/hsa/functions.h"

#include "plugins/hsa/entries.h"
#include "plugins/hsa/image.h"
#include "plugins/hsa/stream.h"

#include <algorithm>

namespace gantry::hsa {

namespace {

/// With the device's lock held.
class Tables final : public gpu::FunctionTables::Device {
public:
  explicit Tables(hsa::Device& device) : device_(device) {}

  std::int32_t place(const void* bytes, std::size_t size, gpu::DeviceAddress& address) override {
    GANTRY_STATUS_TRY(device_.source.allocate(size, address));
    const std::int32_t code = write(device_, pointer_to(address), bytes, size);
    if (code != GANTRY_SUCCESS) {
      (void)device_.source.free(address);
    }
    return code;
  }
  std::int32_t free(gpu::DeviceAddress address) override { return device_.source.free(address); }
  std::int32_t publish() override {
    for (const gantry_image* image : device_.images) {
      GANTRY_STATUS_TRY(image->write_device_environment());
    }
    return GANTRY_SUCCESS;
  }
  bool is_idle() override {
    const std::lock_guard lock(device_.streams_mutex);
    return std::ranges::all_of(device_.streams, &Stream::seems_done);
  }

private:
  hsa::Device& device_;
};

} // namespace

std::int32_t place_waiting_functions(Device& device) {
  const std::lock_guard lock(device.mutex);
  if (!device.functions.waits()) {
    return GANTRY_SUCCESS;
  }
  Tables tables(device);
  return device.functions.place(tables);
}

std::int32_t free_functions(Device& device) {
  const std::lock_guard lock(device.mutex);
  Tables tables(device);
  return device.functions.free(tables);
}

gantry_status entries::set_function_map(gantry_device* device,
                                        const __omp_offloading_fptr_map_ty* table,
                                        std::uint64_t count) noexcept {
  GANTRY_STATUS_TRY(usable(*device));
  {
    const std::lock_guard lock(device->mutex);
    device->functions.replace(table, count);
  }
  // Where there is no room for the table, launches try again and say so.
  const gantry_status status = place_waiting_functions(*device);
  return status == GANTRY_DEVICE_LOST ? status : gantry_status{GANTRY_SUCCESS};
}

} // namespace gantry::hsa
