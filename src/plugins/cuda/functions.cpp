// Functions called by pointer: the table that device code translates with
// (src/device/gpu/indirect.cpp). Its elements stand behind one that holds their number.
#include "plugins/cuda/image.h"

#include <vector>

using namespace gantry::cuda;

namespace {

std::int32_t replace_table(Device& device, std::uint64_t size,
                           const __omp_offloading_fptr_map_ty* given) {
  std::vector<__omp_offloading_fptr_map_ty> table(size + 1);
  table[0] = {static_cast<std::int64_t>(size), 0};
  std::copy(given, given + size, table.begin() + 1);
  const std::size_t bytes = table.size() * sizeof table[0];
  CUdeviceptr address = 0;
  GANTRY_CUDA_TRY(cuMemAlloc_v2, &address, bytes);
  if (const std::int32_t code = write(address, table.data(), bytes); code != GANTRY_SUCCESS) {
    return code;
  }
  device.functions = address + sizeof table[0];
  device.function_count = size;
  for (const gantry_image* image : device.images) {
    if (const std::int32_t code = image->write_device_environment(); code != GANTRY_SUCCESS) {
      return code;
    }
  }
  return GANTRY_SUCCESS;
}

} // namespace

extern "C" void
__tgt_rtl_set_function_ptr_map(int32_t device_id, uint64_t table_size,
                               struct __omp_offloading_fptr_map_ty* table_host_ptr) {
  Device& device = device_of(device_id);
  const std::lock_guard lock(device.mutex);
  // A device that cannot take the table has no context any more: its next call says so.
  if (enter(device) == GANTRY_SUCCESS) {
    (void)replace_table(device, table_size, table_host_ptr);
  }
}
