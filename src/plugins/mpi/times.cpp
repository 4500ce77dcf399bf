// When what is put into a queue begins and ends: the node tells with what it does, and its times
// become the program's.
#include "plugins/mpi/entries.h"
#include "plugins/mpi/queue.h"

#include <algorithm>

namespace gantry::mpi::entries {

gantry_status record_times(gantry_queue* queue, std::int32_t on) noexcept {
  queue->is_timed = on != 0;
  (void)queue->device.node.take_times(*queue);
  return GANTRY_SUCCESS;
}

gantry_status read_times(gantry_queue* queue, gantry_interval* times, std::size_t capacity,
                         std::size_t* count) noexcept {
  Device& device = queue->device;
  const std::vector<gantry_interval> told = device.node.take_times(*queue);
  *count = told.size();
  if (told.empty()) {
    return GANTRY_SUCCESS;
  }
  const std::int64_t ahead = device.node.clock().ahead(device.job, device.node);
  if (device.node.is_lost()) {
    return enter(device);
  }
  const auto here = [ahead](std::uint64_t there) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, static_cast<std::int64_t>(there) - ahead));
  };
  for (std::size_t i = 0; i < std::min(capacity, told.size()); ++i) {
    const auto [begin, end] = told[i];
    times[i] = end == 0 ? gantry_interval{} : gantry_interval{here(begin), here(end)};
  }
  return GANTRY_SUCCESS;
}

} // namespace gantry::mpi::entries
