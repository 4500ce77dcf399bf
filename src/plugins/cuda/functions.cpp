// Functions called by pointer: the table that device code translates with
// (src/device/gpu/indirect.cpp). Its elements stand behind one that holds their number.
#include "plugins/cuda/functions.h"

#include "plugins/cuda/entries.h"
#include "plugins/cuda/image.h"

#include <algorithm>
#include <utility>

namespace gantry::cuda {

namespace {

using Element = __omp_offloading_fptr_map_ty;

/// Whether all that was launched before is done.
bool is_idle(const Device& device) {
  const auto is_done = [](CUstream stream) {
    return driver().cuStreamQuery(stream) == CUDA_SUCCESS;
  };
  return is_done(CU_STREAM_LEGACY) && std::ranges::all_of(device.streams, is_done);
}

/// Kernels that are launched from now on read the device's environment, which has the new table.
void free_replaced(Device& device) {
  if (!device.replaced_functions.empty() && is_idle(device)) {
    for (const CUdeviceptr table : device.replaced_functions) {
      (void)driver().cuMemFree_v2(table);
    }
    device.replaced_functions.clear();
  }
}

std::int32_t copy_table(const std::vector<Element>& table, CUdeviceptr& address) {
  const std::size_t bytes = table.size() * sizeof(Element);
  GANTRY_CUDA_TRY(cuMemAlloc_v2, &address, bytes);
  const std::int32_t code = write(address, table.data(), bytes);
  if (code != GANTRY_SUCCESS) {
    (void)driver().cuMemFree_v2(address);
  }
  return code;
}

/// Makes the table that waits the device's; the device's lock is held.
std::int32_t place(Device& device) {
  GANTRY_STATUS_TRY(enter(device));
  if (!device.waiting_functions.empty()) {
    CUdeviceptr address = 0;
    GANTRY_STATUS_TRY(copy_table(device.waiting_functions, address));
    if (device.functions != 0) {
      device.replaced_functions.push_back(device.functions - sizeof(Element));
    }
    device.functions = address + sizeof(Element);
    device.function_count = device.waiting_functions.size() - 1;
    device.waiting_functions = {};
  }
  // Where an image is not told, the next launch tells all of them again.
  for (const gantry_image* image : device.images) {
    GANTRY_STATUS_TRY(image->write_device_environment());
  }
  device.functions_wait.store(false, std::memory_order_release);
  free_replaced(device);
  return GANTRY_SUCCESS;
}

} // namespace

std::int32_t place_waiting_functions(Device& device) {
  const std::lock_guard lock(device.mutex);
  if (!device.functions_wait.load(std::memory_order_relaxed)) {
    return GANTRY_SUCCESS;
  }
  const std::int32_t code = place(device);
  return code == GANTRY_SUCCESS
             ? code
             : report(code,
                      "the table of functions that are called by pointer has no place on "
                      "the device: {}",
                      std::string(plugins::last_error()));
}

std::int32_t free_functions(Device& device) {
  const std::lock_guard lock(device.mutex);
  if (device.functions != 0) {
    device.replaced_functions.push_back(std::exchange(device.functions, 0) - sizeof(Element));
  }
  std::int32_t status = GANTRY_SUCCESS;
  for (const CUdeviceptr table : std::exchange(device.replaced_functions, {})) {
    keep_failure(status, check(driver().cuMemFree_v2(table), "cuMemFree"));
  }
  return status;
}

gantry_status entries::set_function_map(gantry_device* device, const Element* table,
                                        std::uint64_t count) noexcept {
  {
    const std::lock_guard lock(device->mutex);
    device->waiting_functions = {{static_cast<std::int64_t>(count), 0}};
    device->waiting_functions.insert(device->waiting_functions.end(), table, table + count);
    device->functions_wait.store(true, std::memory_order_release);
  }
  // Where there is no room for the table, launches try again and say so.
  const gantry_status status = place_waiting_functions(*device);
  return status == GANTRY_DEVICE_LOST ? status : gantry_status{GANTRY_SUCCESS};
}

} // namespace gantry::cuda
