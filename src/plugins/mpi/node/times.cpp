// When operations begin and end. What a device's queue does is timed by that, if it can; all else,
// such as bytes that come and go, by the node.
#include "plugins/last_error.h"
#include "plugins/mpi/node/node.h"

#include <algorithm>
#include <utility>

namespace gantry::mpi {

namespace {

/// What a device says of an operation, whose clock may be another: moved by as little as it takes
/// to lie between when the operation was put in and when it was known to be done.
gantry_interval moved_into(const gantry_interval& outer, const gantry_interval& inner) {
  if (inner.end == 0 || inner.end < inner.begin) {
    return outer;
  }
  const std::uint64_t length = std::min(inner.end - inner.begin, outer.end - outer.begin);
  const std::uint64_t begin = std::clamp(inner.begin, outer.begin, outer.end - length);
  return {.begin = begin, .end = begin + length};
}

} // namespace

Status Node::tell_clock(const Head& head, Reader body) {
  if (!body.is_at_end()) {
    return fail("a request to tell the time is damaged");
  }
  GANTRY_TRY(flush()); // so that this takes no longer than that
  Record(out_, Kind::kAnswer, head.id)
      .put(gantry_status{GANTRY_SUCCESS})
      .put_text("")
      .put(transport_.now());
  return flush();
}

bool Node::is_timed_by_queue(const Strand& strand, const Operation& operation) {
  const bool wants = operation.is_timed && strand.device->has_times;
  switch (operation.kind) {
  case Kind::kReceive:
  case Kind::kSend:
    return false;    // its pieces would be
  case Kind::kWrite: // may be of the launch behind it
    return wants || strand.is_queue_timed;
  default:
    return wants;
  }
}

gantry_status Node::prepare_queue(Strand& strand, bool is_timed) {
  const FarDevice& device = *strand.device;
  if (strand.queue == nullptr) {
    GANTRY_STATUS_TRY(device.plugin->create_queue(device.handle, &strand.queue));
  }
  if (strand.is_queue_timed != is_timed) {
    // If it fails, the queue has no times, and those of the node are told.
    (void)device.plugin->record_times(strand.queue, is_timed ? 1 : 0);
    strand.is_queue_timed = is_timed;
  }
  return GANTRY_SUCCESS;
}

gantry_status Node::take_queue_times(Strand& strand) {
  gantry_interval times = {};
  std::size_t count = 0;
  if (strand.device->plugin->read_times(strand.queue, &times, 1, &count) == GANTRY_SUCCESS &&
      count == 1 && strand.interval.begin != 0) {
    strand.interval = moved_into(strand.interval, times);
  }
  return GANTRY_SUCCESS;
}

void Node::note_times(Strand& strand) const {
  gantry_interval interval = std::exchange(strand.interval, {});
  if (interval.begin != 0 && interval.end == 0) {
    interval.end = transport_.now();
  }
  strand.times.push_back(interval);
}

Status Node::tell_times(Strand& strand) {
  const std::vector<gantry_interval> times = std::exchange(strand.times, {});
  Record(*GANTRY_TRY(room(times.size() * sizeof(gantry_interval))), Kind::kTimes, strand.number)
      .put_bytes(std::as_bytes(std::span(times)));
  return {};
}

} // namespace gantry::mpi
