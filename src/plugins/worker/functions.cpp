// The table of functions that device code calls by pointer: the worker's.
#include "plugins/worker/device.h"

#include <span>

extern "C" void __tgt_rtl_set_function_ptr_map(int32_t device_id, uint64_t table_size,
                                               __omp_offloading_fptr_map_ty* table_host_ptr) {
  using namespace gantry::worker;
  Worker* worker = nullptr;
  // What fails here is said at the next use of the device.
  if (enter(device_of(device_id), worker) != GANTRY_SUCCESS) {
    return;
  }
  const BorrowedLine line(*worker);
  if (line.code() == GANTRY_SUCCESS &&
      line->append(std::as_bytes(std::span(table_host_ptr, table_size))) == GANTRY_SUCCESS) {
    (void)line->call(Operation::kSetFunctions);
  }
}
