#include "plugins/gpu/function_tables.h"

#include "plugins/gpu/status.h"
#include "plugins/last_error.h"

#include <utility>

namespace gantry::gpu {

void FunctionTables::replace(const Element* table, std::uint64_t count) {
  waiting_ = {{static_cast<std::int64_t>(count), 0}};
  waiting_.insert(waiting_.end(), table, table + count);
  waits_.store(true, std::memory_order_release);
}

std::int32_t FunctionTables::place(Device& device) {
  if (!waiting_.empty()) {
    DeviceAddress address = 0;
    const std::int32_t code =
        device.place(waiting_.data(), waiting_.size() * sizeof(Element), address);
    if (code != GANTRY_SUCCESS) {
      return plugins::report(code,
                             "the table of functions that are called by pointer has no place on "
                             "the device: {}",
                             std::string(plugins::last_error()));
    }
    if (address_ != 0) {
      replaced_.push_back(address_ - sizeof(Element));
    }
    address_ = address + sizeof(Element);
    count_ = waiting_.size() - 1;
    waiting_ = {};
  }
  // Where an image is not told, the next launch tells all of them again.
  GANTRY_STATUS_TRY(device.publish());
  waits_.store(false, std::memory_order_release);
  if (!replaced_.empty() && device.is_idle()) {
    for (const DeviceAddress table : std::exchange(replaced_, {})) {
      (void)device.free(table);
    }
  }
  return GANTRY_SUCCESS;
}

std::int32_t FunctionTables::free(Device& device) {
  if (address_ != 0) {
    replaced_.push_back(std::exchange(address_, 0) - sizeof(Element));
  }
  std::int32_t status = GANTRY_SUCCESS;
  for (const DeviceAddress table : std::exchange(replaced_, {})) {
    keep_failure(status, device.free(table));
  }
  return status;
}

} // namespace gantry::gpu
