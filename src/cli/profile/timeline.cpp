#include "cli/profile/timeline.h"

#include "cli/profile/in_order.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace gantry::cli::profile {

namespace {

using gantry::profile::kPointer;
using gantry::profile::kPrivate;

/// Rows beside those of what nests, for what overlaps.
class RowsBeside {
public:
  explicit RowsBeside(std::uint32_t first) : first_(first) {}

  /// The first row that is free at that time. Times come in order of begin.
  std::uint32_t take(Interval time) {
    auto free = std::ranges::find_if(ends_, [&](Time end) { return end <= time.begin; });
    if (free == ends_.end()) {
      free = ends_.insert(free, 0);
    }
    *free = time.end;
    return first_ + static_cast<std::uint32_t>(free - ends_.begin());
  }

private:
  std::uint32_t first_;
  std::vector<Time> ends_;
};

void sort(std::vector<Slice>& slices) {
  put_in_order(slices, [](const Slice& slice) {
    return std::tuple(slice.time.begin, -slice.time.end, slice.what);
  });
}

/// A thread's constructs nest, but for those that another one has ended, or that overlap with it.
void place_on_thread(const ProcessProfile& profile, std::vector<Slice>& slices) {
  sort(slices);
  std::vector<Time> open; // ends of the slices around the next one
  std::uint32_t rows = 0;
  std::erase_if(slices, [&](Slice& slice) {
    while (!open.empty() && open.back() <= slice.time.begin) {
      open.pop_back();
    }
    slice.nests = open.empty() || slice.time.end <= open.back();
    if (slice.what == Slice::What::kConstruct) {
      const Construct& construct = profile.constructs[slice.index];
      slice.nests = slice.nests && construct.thread == construct.end_thread;
    } else if (!slice.nests) {
      return true;
    }
    if (slice.nests) {
      slice.row = static_cast<std::uint32_t>(open.size());
      open.push_back(slice.time.end);
      rows = std::max(rows, slice.row + 1);
    }
    return false;
  });
  RowsBeside beside(rows);
  for (Slice& slice : slices) {
    if (!slice.nests) {
      slice.row = beside.take(slice.time);
    }
  }
}

/// A queue's operations follow each other, or are parts of each other.
void place_on_queue(std::vector<Slice>& slices) {
  sort(slices);
  std::vector<Time> open;
  Time last = 0; // begin of the one before
  for (Slice& slice : slices) {
    // Their clock is not that exact: what overlaps begins later.
    Interval& time = slice.time;
    time.begin = std::max(time.begin, last);
    time.end = std::max(time.end, time.begin);
    while (!open.empty() && (open.back() <= time.begin || time.end > open.back())) {
      time.begin = std::max(time.begin, open.back());
      open.pop_back();
    }
    last = time.begin;
    slice.row = static_cast<std::uint32_t>(open.size());
    open.push_back(time.end);
  }
}

template <typename Records>
void add(std::vector<Track>& threads, const Records& records, Slice::What what) {
  for (Index i = 0; i < records.size(); ++i) {
    threads[records[i].thread].slices.push_back(
        {.time = records[i].time, .what = what, .index = i});
  }
}

} // namespace

std::vector<Track> tracks_of(const ProcessProfile& profile) {
  std::vector<Track> tracks(profile.threads.size());
  add(tracks, profile.constructs, Slice::What::kConstruct);
  add(tracks, profile.waits, Slice::What::kWait);
  add(tracks, profile.images, Slice::What::kImage);
  for (Index thread = 0; thread < tracks.size(); ++thread) {
    tracks[thread].thread = thread;
    tracks[thread].number = thread;
    place_on_thread(profile, tracks[thread].slices);
  }
  // What was in no queue was done by a thread.
  using Queue = std::tuple<std::int32_t, std::uint64_t, Index>;
  std::map<Queue, std::vector<Slice>> queues;
  const auto add_operations = [&](const auto& operations, Slice::What what) {
    for (Index i = 0; i < operations.size(); ++i) {
      const Operation& operation = operations[i];
      if (operation.done && operation.device >= 0) {
        queues[{operation.device, operation.queue, operation.queue == 0 ? operation.thread : 0}]
            .push_back({.time = operation.time, .what = what, .index = i});
      }
    }
  };
  add_operations(profile.copies, Slice::What::kCopy);
  add_operations(profile.launches, Slice::What::kLaunch);
  std::map<std::int32_t, std::uint32_t> numbers;
  for (auto& [queue, slices] : queues) {
    place_on_queue(slices);
    const auto [device, id, thread] = queue;
    tracks.push_back({.device = device,
                      .thread = thread,
                      .queue = id,
                      .number = numbers[device]++,
                      .slices = std::move(slices)});
  }
  return tracks;
}

std::string name_of(const ProcessProfile& profile, const Track& track) {
  const Thread& thread = profile.threads[track.thread];
  return track.device < 0   ? fmt::format("{} {}", thread.name, thread.number)
         : track.queue != 0 ? fmt::format("queue {}", track.number + 1)
                            : fmt::format("by thread {}", thread.number);
}

std::string name_of(const Place& place) {
  return fmt::format("{} {}{}{}", place.shown, place.construct, place.nowait ? " nowait" : "",
                     place.function.empty() || place.position.empty() ? ""
                                                                      : " in " + place.function);
}

std::string name_of(const ProcessProfile& profile, const Copy& copy) {
  const std::string& name = profile.names[copy.name].variable;
  return fmt::format("{} {} device",
                     copy.kind == kPrivate   ? "private copies"
                     : copy.kind == kPointer ? "pointer"
                     : name.empty()          ? "copy"
                                             : name,
                     copy.to_device ? "to" : "from");
}

} // namespace gantry::cli::profile
