// The table of functions that device code calls by pointer: the worker's.
#include "plugins/worker/device.h"

#include <span>

extern "C" void
__tgt_rtl_set_function_ptr_map(int32_t device_id, uint64_t table_size,
                               __omp_offloading_fptr_map_ty* table_host_ptr) noexcept {
  using namespace gantry::worker;
  Worker* worker = nullptr;
  // This fails only where the device is lost, which its next use says.
  if (enter(device_of(device_id), worker) != GANTRY_SUCCESS) {
    return;
  }
  Line* line = nullptr;
  if (worker->wait_for_line(line) != GANTRY_SUCCESS) {
    return;
  }
  if (line->append(std::as_bytes(std::span(table_host_ptr, table_size))) == GANTRY_SUCCESS) {
    (void)line->call(Operation::kSetFunctions);
  }
  worker->give_back(line);
}
