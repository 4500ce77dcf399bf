// The table of functions that device code calls by pointer: the worker's.
#include "plugins/worker/device.h"
#include "plugins/worker/entries.h"

#include <span>

namespace gantry::worker::entries {

gantry_status set_function_map(gantry_device* device, const __omp_offloading_fptr_map_ty* table,
                               std::uint64_t count) noexcept {
  Worker* worker = nullptr;
  std::int32_t code = enter(*device, worker);
  Line* line = nullptr;
  if (code == GANTRY_SUCCESS) {
    code = worker->wait_for_line(line);
  }
  if (code != GANTRY_SUCCESS) {
    return code;
  }
  code = line->append(std::as_bytes(std::span(table, count)));
  if (code == GANTRY_SUCCESS) {
    code = line->call(Operation::kSetFunctions);
  }
  worker->give_back(line);
  return code;
}

} // namespace gantry::worker::entries
