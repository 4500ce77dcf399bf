// When what is put into a queue begins and ends: the node tells with what it does, and its times
// become the program's.
#include "plugins/mpi/entries.h"
#include "plugins/mpi/queue.h"

#include <algorithm>
#include <ranges>

namespace gantry::mpi {

namespace {

/// What has not happened has no time.
bool has_happened(const gantry_interval& interval) {
  return interval.end != 0;
}

/// How far the node's clock is ahead, given what has happened between two times of the program's: a
/// measured value that says otherwise is off by that much.
std::int64_t bounded(std::int64_t ahead, const RemoteNode::Times& times) {
  const auto& intervals = times.intervals;
  const auto first = std::ranges::find_if(intervals, has_happened);
  if (first == intervals.end()) {
    return ahead;
  }
  const auto last = std::ranges::find_if(intervals | std::views::reverse, has_happened);
  const auto most = static_cast<std::int64_t>(first->begin - times.put_in);
  const auto least = static_cast<std::int64_t>(last->end - times.told);
  return std::max(std::min(ahead, most), least);
}

} // namespace

namespace entries {

gantry_status record_times(gantry_queue* queue, std::int32_t on) noexcept {
  queue->is_timed = on != 0;
  (void)queue->device.node.take_times(*queue);
  return GANTRY_SUCCESS;
}

gantry_status read_times(gantry_queue* queue, gantry_interval* times, std::size_t capacity,
                         std::size_t* count) noexcept {
  Device& device = queue->device;
  const RemoteNode::Times told = device.node.take_times(*queue);
  *count = told.intervals.size();
  if (told.intervals.empty()) {
    return GANTRY_SUCCESS;
  }
  const std::int64_t measured = device.node.clock().ahead(device.job, device.node);
  if (device.node.is_lost()) {
    return enter(device);
  }
  const std::int64_t ahead = bounded(measured, told);
  const auto here = [ahead](std::uint64_t there) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, static_cast<std::int64_t>(there) - ahead));
  };
  for (std::size_t i = 0; i < std::min(capacity, told.intervals.size()); ++i) {
    const gantry_interval& there = told.intervals[i];
    times[i] = has_happened(there) ? gantry_interval{here(there.begin), here(there.end)}
                                   : gantry_interval{};
  }
  return GANTRY_SUCCESS;
}

} // namespace entries
} // namespace gantry::mpi
