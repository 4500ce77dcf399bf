#include "cli/profile/trace.h"

#include "cli/profile/timeline.h"
#include "cli/profile/trace_writer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace gantry::cli::profile {

namespace {

using gantry::profile::kMapped;
using gantry::profile::kUnmapped;

/// Where a slice of a construct's operation came to lie.
struct Placed {
  TraceTrack track;
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
    write_tracks();
    write_flows();
    write_counters();
    write_instants();
  }

private:
  [[nodiscard]] std::uint32_t device_process(std::int32_t device) const {
    const auto found = std::ranges::lower_bound(profile_.devices, device, {}, &Device::number);
    return first_ + 1 + static_cast<std::uint32_t>(found - profile_.devices.begin());
  }

  /// Strings as JSON has them, once each.
  void name_texts() {
    for (const Place& place : profile_.places) {
      places_.push_back(json_string(name_of(place)));
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
  [[nodiscard]] const std::string& name_of_launch(const Launch& launch) const {
    return launch.construct == kNone ? texts_[launch.kernel]
                                     : places_[profile_.constructs[launch.construct].place];
  }

  void write_tracks() {
    constructs_.resize(profile_.constructs.size());
    copies_.resize(profile_.copies.size());
    launches_.resize(profile_.launches.size());
    for (const Track& track : tracks_of(profile_)) {
      const TraceTrack at = {track.device < 0 ? first_ : device_process(track.device),
                             track.number + 1};
      writer_.metadata(at, "thread_name", "name", json_string(name_of(profile_, track)));
      for (const Slice& slice : track.slices) {
        write_slice(at, slice);
      }
    }
  }

  void write_slice(TraceTrack track, const Slice& slice) {
    const Placed placed = {track, slice.time, slice.nests};
    switch (slice.what) {
    case Slice::What::kConstruct: {
      const Construct& construct = profile_.constructs[slice.index];
      const std::string& name = places_[construct.place];
      constructs_[slice.index] = placed;
      if (slice.nests) {
        writer_.slice(track, slice.time, name, args_of(construct));
      } else {
        writer_.async_slice(track, slice.time, construct.id, name, args_of(construct));
      }
      break;
    }
    case Slice::What::kWait:
      writer_.slice(track, slice.time, R"("wait")", "");
      break;
    case Slice::What::kImage:
      writer_.slice(
          track, slice.time,
          fmt::format(R"("load image on device {}")", profile_.images[slice.index].device), "");
      break;
    case Slice::What::kCopy: {
      const Copy& copy = profile_.copies[slice.index];
      copies_[slice.index] = placed;
      writer_.slice(track, slice.time, json_string(name_of(profile_, copy)), args_of(copy));
      break;
    }
    case Slice::What::kLaunch: {
      const Launch& launch = profile_.launches[slice.index];
      launches_[slice.index] = placed;
      writer_.slice(track, slice.time, name_of_launch(launch), args_of(launch));
      break;
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
      std::vector<std::pair<TraceTrack, Time>> points;
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
