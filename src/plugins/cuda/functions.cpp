// Functions called by pointer: the device's side of their tables.
#include "plugins/cuda/functions.h"

#include "plugins/cuda/entries.h"
#include "plugins/cuda/image.h"

#include <algorithm>

namespace gantry::cuda {

namespace {

using gpu::FunctionTables;

/// In the device's context, with its lock held.
class Tables final : public FunctionTables::Device {
public:
  explicit Tables(cuda::Device& device) : device_(device) {}

  std::int32_t place(const void* bytes, std::size_t size, CUdeviceptr& address) override {
    GANTRY_CUDA_TRY(cuMemAlloc_v2, &address, size);
    const std::int32_t code = write(address, bytes, size);
    if (code != GANTRY_SUCCESS) {
      (void)driver().cuMemFree_v2(address);
    }
    return code;
  }
  std::int32_t free(CUdeviceptr address) override {
    GANTRY_CUDA_TRY(cuMemFree_v2, address);
    return GANTRY_SUCCESS;
  }
  std::int32_t publish() override {
    for (const gantry_image* image : device_.images) {
      GANTRY_STATUS_TRY(image->write_device_environment());
    }
    return GANTRY_SUCCESS;
  }
  bool is_idle() override {
    const auto is_done = [](CUstream stream) {
      return driver().cuStreamQuery(stream) == CUDA_SUCCESS;
    };
    return is_done(CU_STREAM_LEGACY) && std::ranges::all_of(device_.streams, is_done);
  }

private:
  cuda::Device& device_;
};

} // namespace

std::int32_t place_waiting_functions(Device& device) {
  const std::lock_guard lock(device.mutex);
  if (!device.functions.waits()) {
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(enter(device));
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
  {
    const std::lock_guard lock(device->mutex);
    device->functions.replace(table, count);
  }
  // Where there is no room for the table, launches try again and say so.
  const gantry_status status = place_waiting_functions(*device);
  return status == GANTRY_DEVICE_LOST ? status : gantry_status{GANTRY_SUCCESS};
}

} // namespace gantry::cuda
