#include "cli/profile/trace.h"

#include "cli/profile/in_order.h"
#include "cli/profile/trace_writer.h"

#include <algorithm>
#include <map>

namespace gantry::cli::profile {

namespace {

using gantry::profile::kMapped;
using gantry::profile::kPointer;
using gantry::profile::kPrivate;
using gantry::profile::kUnmapped;

/// A slice that is to be written, once it is known where it can be.
struct Slice {
  Interval time;
  enum class What : std::uint8_t { kConstruct, kWait, kCopy, kLaunch, kImage } what;
  Index index;
};

/// Where a slice of a construct's operation came to lie.
struct Placed {
  Track track;
  Interval time;
  bool is_placed = false;
};

/// One process's part of the trace.
class ProcessTrace {
public:
  /// `first`: the number of its own process in the trace; its devices' follow.
  ProcessTrace(const ProcessReport& report, std::uint32_t first, std::uint64_t first_flow,
               TraceWriter& writer)
      : profile_(report.profile), first_(first), first_flow_(first_flow), writer_(writer) {}

  void write(const ProcessReport& report) {
    name_texts();
    write_names(report);
    write_host();
    write_devices();
    write_flows();
    write_counters();
    write_instants();
  }

private:
  [[nodiscard]] Track host_track(Index thread) const { return {first_, thread + 1}; }
  [[nodiscard]] std::uint32_t device_process(std::int32_t device) const {
    const auto found = std::ranges::lower_bound(profile_.devices, device, {}, &Device::number);
    return first_ + 1 + static_cast<std::uint32_t>(found - profile_.devices.begin());
  }

  /// Strings as JSON has them, once each.
  void name_texts() {
    for (const Place& place : profile_.places) {
      places_.push_back(json_string(fmt::format(
          "{} {}{}{}", place.shown, place.construct, place.nowait ? " nowait" : "",
          place.function.empty() || place.position.empty() ? "" : " in " + place.function)));
    }
    for (const Name& name : profile_.names) {
      names_.push_back(json_string(name.variable));
      name_positions_.push_back(json_string(name.position));
    }
    for (const std::string& text : profile_.texts) {
      texts_.push_back(json_string(text));
    }
  }

  void write_names(const ProcessReport& report) {
    writer_.metadata(
        {first_, 0}, "process_name", "name",
        json_string(fmt::format("{} (process {})", file_name(profile_.program), profile_.process)));
    writer_.metadata({first_, 0}, "process_labels", "labels", json_string(report.ending));
    writer_.metadata({first_, 0}, "process_sort_index", "sort_index", fmt::to_string(first_));
    for (Index i = 0; i < profile_.threads.size(); ++i) {
      writer_.metadata(
          host_track(i), "thread_name", "name",
          json_string(fmt::format("{} {}", profile_.threads[i].name, profile_.threads[i].number)));
    }
    for (const Device& device : profile_.devices) {
      const std::uint32_t process = device_process(device.number);
      writer_.metadata({process, 0}, "process_name", "name", json_string(device.label));
      writer_.metadata({process, 0}, "process_sort_index", "sort_index", fmt::to_string(process));
    }
  }

  [[nodiscard]] std::string args_of(const Construct& construct) const {
    return fmt::format(R"("device":{}{})", construct.device,
                       construct.ended ? "" : R"(,"ended":false)");
  }
  [[nodiscard]] std::string args_of(const Copy& copy) const {
    std::string args = fmt::format(R"("bytes":{},"host":"{:#x}","device_address":"{:#x}","id":{})",
                                   copy.size, copy.host, copy.device_address, copy.id);
    if (copy.name != 0) {
      args +=
          fmt::format(R"(,"variable":{},"item":{})", names_[copy.name], name_positions_[copy.name]);
    }
    if (const std::string clause = clause_text(copy.clause); !clause.empty()) {
      args += fmt::format(R"(,"clause":"{}")", clause);
    }
    return args;
  }
  [[nodiscard]] std::string args_of(const Launch& launch) const {
    return fmt::format(R"("kernel":{},"teams":{},"threads":{},"trip_count":{},"id":{})",
                       texts_[launch.kernel], launch.teams, launch.threads, launch.trip_count,
                       launch.id);
  }
  [[nodiscard]] std::string name_of(const Copy& copy) const {
    const std::string& name = names_[copy.name]; // with quotes
    const std::string_view what = copy.kind == kPrivate   ? R"("private copies)"
                                  : copy.kind == kPointer ? R"("pointer)"
                                  : name.size() <= 2
                                      ? R"("copy)"
                                      : std::string_view(name).substr(0, name.size() - 1);
    return fmt::format(R"({} {} device")", what, copy.to_device ? "to" : "from");
  }
  [[nodiscard]] std::string name_of(const Launch& launch) const {
    return launch.construct == kNone ? texts_[launch.kernel]
                                     : places_[profile_.constructs[launch.construct].place];
  }

  void write_host() {
    std::vector<std::vector<Slice>> threads(profile_.threads.size());
    for (Index i = 0; i < profile_.constructs.size(); ++i) {
      const Construct& construct = profile_.constructs[i];
      threads[construct.thread].push_back({construct.time, Slice::What::kConstruct, i});
    }
    for (Index i = 0; i < profile_.waits.size(); ++i) {
      const Wait& wait = profile_.waits[i];
      threads[wait.thread].push_back({wait.time, Slice::What::kWait, i});
    }
    for (Index i = 0; i < profile_.images.size(); ++i) {
      const Image& image = profile_.images[i];
      threads[image.thread].push_back({image.time, Slice::What::kImage, i});
    }
    constructs_.resize(profile_.constructs.size());
    for (Index thread = 0; thread < threads.size(); ++thread) {
      write_thread(thread, threads[thread]);
    }
  }

  void write_thread(Index thread, std::vector<Slice>& slices) {
    put_in_order(slices, [](const Slice& slice) {
      return std::tuple(slice.time.begin, -slice.time.end, slice.what);
    });
    const Track track = host_track(thread);
    std::vector<Time> open; // ends of the slices around the next one
    for (const Slice& slice : slices) {
      while (!open.empty() && open.back() <= slice.time.begin) {
        open.pop_back();
      }
      const bool nests = open.empty() || slice.time.end <= open.back();
      if (slice.what == Slice::What::kConstruct) {
        const Construct& construct = profile_.constructs[slice.index];
        const std::string& name = places_[construct.place];
        // What another thread has ended may overlap with anything.
        if (!nests || construct.thread != construct.end_thread) {
          writer_.async_slice(track, slice.time, construct.id, name, args_of(construct));
          continue;
        }
        constructs_[slice.index] = {track, slice.time, true};
        writer_.slice(track, slice.time, name, args_of(construct));
      } else if (!nests) {
        continue;
      } else if (slice.what == Slice::What::kWait) {
        writer_.slice(track, slice.time, R"("wait")", "");
      } else {
        writer_.slice(
            track, slice.time,
            fmt::format(R"("load image on device {}")", profile_.images[slice.index].device), "");
      }
      open.push_back(slice.time.end);
    }
  }

  void write_devices() {
    copies_.resize(profile_.copies.size());
    launches_.resize(profile_.launches.size());
    // What was in no queue was done by a thread.
    struct Queue {
      std::int32_t device;
      std::uint64_t queue;
      Index thread;
      auto operator<=>(const Queue&) const = default;
    };
    std::map<Queue, std::vector<Slice>> queues;
    const auto add = [&](const Operation& operation, Slice::What what, Index index) {
      if (operation.done && operation.device >= 0) {
        queues[{operation.device, operation.queue, operation.queue == 0 ? operation.thread : 0}]
            .push_back({operation.time, what, index});
      }
    };
    for (Index i = 0; i < profile_.copies.size(); ++i) {
      add(profile_.copies[i], Slice::What::kCopy, i);
    }
    for (Index i = 0; i < profile_.launches.size(); ++i) {
      add(profile_.launches[i], Slice::What::kLaunch, i);
    }
    std::map<std::int32_t, std::uint32_t> tracks;
    for (auto& [queue, slices] : queues) {
      const std::uint32_t number = ++tracks[queue.device];
      const Track track{device_process(queue.device), number};
      writer_.metadata(
          track, "thread_name", "name",
          queue.queue != 0
              ? json_string(fmt::format("queue {}", number))
              : json_string(fmt::format("by thread {}", profile_.threads[queue.thread].number)));
      write_queue(track, slices);
    }
  }

  void write_queue(Track track, std::vector<Slice>& slices) {
    put_in_order(slices,
                 [](const Slice& slice) { return std::tuple(slice.time.begin, -slice.time.end); });
    std::vector<Time> open;
    for (const Slice& slice : slices) {
      Interval time = slice.time;
      while (!open.empty() && open.back() <= time.begin) {
        open.pop_back();
      }
      // Operations of a queue follow each other; their clock is not that exact.
      while (!open.empty() && time.end > open.back()) {
        time.begin = std::max(time.begin, open.back());
        open.pop_back();
      }
      open.push_back(time.end);
      if (slice.what == Slice::What::kCopy) {
        const Copy& copy = profile_.copies[slice.index];
        copies_[slice.index] = {track, time, true};
        writer_.slice(track, time, name_of(copy), args_of(copy));
      } else {
        const Launch& launch = profile_.launches[slice.index];
        launches_[slice.index] = {track, time, true};
        writer_.slice(track, time, name_of(launch), args_of(launch));
      }
    }
  }

  void write_flows() {
    std::vector<std::vector<const Placed*>> steps(profile_.constructs.size());
    const auto add = [&](const auto& operations, const std::vector<Placed>& placed) {
      for (std::size_t i = 0; i < operations.size(); ++i) {
        if (operations[i].construct != kNone && placed[i].is_placed) {
          steps[operations[i].construct].push_back(&placed[i]);
        }
      }
    };
    add(profile_.copies, copies_);
    add(profile_.launches, launches_);
    for (Index i = 0; i < profile_.constructs.size(); ++i) {
      auto& of_construct = steps[i];
      std::ranges::sort(of_construct, {}, [](const Placed* step) { return step->time.begin; });
      const Placed& construct = constructs_[i];
      std::vector<std::pair<Track, Time>> points;
      if (construct.is_placed) {
        points.emplace_back(construct.track, construct.time.begin);
      }
      for (const Placed* step : of_construct) {
        points.emplace_back(step->track, step->time.begin);
      }
      if (construct.is_placed && !of_construct.empty()) {
        points.emplace_back(construct.track, construct.time.end);
      }
      // A flow goes forward in time; clocks of devices are not that exact.
      for (std::size_t k = 1; points.size() > 1 && k < points.size(); ++k) {
        if (points[k].second < points[k - 1].second) {
          points.clear();
        }
      }
      for (std::size_t k = 0; points.size() > 1 && k < points.size(); ++k) {
        writer_.flow(k == 0                   ? 's'
                     : k + 1 == points.size() ? 'f'
                                              : 't',
                     points[k].first, points[k].second, first_flow_ + i);
      }
    }
  }

  /// What is counted changes by so much at a time.
  using Changes = std::vector<std::pair<Time, double>>;

  void write_counter(std::uint32_t process, std::string_view name, Changes changes) {
    std::ranges::sort(changes);
    double value = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      value += changes[i].second;
      if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first) {
        writer_.counter(process, changes[i].first, name, value < 1e-9 ? 0 : value);
      }
    }
  }

  void write_counters() {
    for (const Device& device : profile_.devices) {
      Changes mapped;
      for (const Presence& presence : profile_.presences) {
        if (presence.device == device.number && presence.construct != kNone &&
            (presence.what == kMapped || presence.what == kUnmapped)) {
          const auto bytes = static_cast<double>(presence.size);
          mapped.emplace_back(presence.time, presence.what == kMapped ? bytes : -bytes);
        }
      }
      Changes kernels;
      for (const Launch& launch : profile_.launches) {
        if (launch.device == device.number && launch.done) {
          kernels.emplace_back(launch.time.begin, 1);
          kernels.emplace_back(launch.time.end, -1);
        }
      }
      Changes rates;
      for (const Copy& copy : profile_.copies) {
        if (copy.device == device.number && copy.done && copy.time.length() > 0) {
          const double rate =
              static_cast<double>(copy.size) / static_cast<double>(copy.time.length());
          rates.emplace_back(copy.time.begin, rate);
          rates.emplace_back(copy.time.end, -rate);
        }
      }
      const std::uint32_t process = device_process(device.number);
      write_counter(process, "bytes mapped", std::move(mapped));
      write_counter(process, "kernels under way", std::move(kernels));
      write_counter(process, "copies in GB/s", std::move(rates));
    }
  }

  void write_instants() {
    for (const Device& device : profile_.devices) {
      if (!device.lost.empty()) {
        writer_.instant({device_process(device.number), 0}, device.lost_at,
                        json_string("lost: " + device.lost));
      }
    }
    for (const std::string& failure : profile_.failures) {
      writer_.instant({first_, 1}, profile_.time.end, json_string(failure));
    }
  }

  const ProcessProfile& profile_;
  const std::uint32_t first_;
  const std::uint64_t first_flow_;
  TraceWriter& writer_;
  std::vector<std::string> places_;
  std::vector<std::string> names_;
  std::vector<std::string> name_positions_;
  std::vector<std::string> texts_;
  std::vector<Placed> constructs_;
  std::vector<Placed> copies_;
  std::vector<Placed> launches_;
};

} // namespace

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_trace(const std::vector<ProcessReport>& reports, const TextSink& sink) {
  Time begin = 0;
  if (!reports.empty()) {
    begin = std::ranges::min(reports, {}, [](const ProcessReport& report) {
              return report.profile.time.begin;
            }).profile.time.begin;
  }
  TraceWriter writer(sink, begin);
  std::uint32_t process = 1;
  std::uint64_t flow = 1;
  for (const ProcessReport& report : reports) {
    ProcessTrace(report, process, flow, writer).write(report);
    process += 1 + static_cast<std::uint32_t>(report.profile.devices.size());
    flow += report.profile.constructs.size();
  }
}

} // namespace gantry::cli::profile
