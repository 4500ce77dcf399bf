#include "cli/profile/finding_rules.h"
#include "cli/profile/intervals.h"
#include "cli/profile/report.h"

#include <algorithm>
#include <map>
#include <set>

namespace gantry::cli::profile {

namespace {

/// The load is unequal if one device's is so many times the mean.
constexpr double kUnequal = 1.4;
/// A load of an image matters from so long on.
constexpr Time kLongLoad = 50'000;
/// Unused memory matters from so many bytes, and so large a part of the peak, on.
constexpr std::uint64_t kMuchMemory = 64 << 10;
constexpr std::uint64_t kPartOfPeak = 10;

struct Load {
  std::int32_t device = 0;
  Time busy = 0;
  /// If each run of a kernel took as long as its undisturbed ones do: what other processes, or a
  /// compilation, do to some, or on a full machine to most of them, is no load.
  Time typical = 0;
  std::map<Index, Time> places; ///< kernels' times
};

std::vector<Load> loads_of(const Evidence& evidence) {
  const ProcessProfile& profile = evidence.profile;
  std::map<std::int32_t, Load> loads;
  std::map<std::int32_t, std::vector<Interval>> busy;
  std::map<std::pair<std::int32_t, Index>, std::vector<Time>> runs;
  for (const Launch& launch : profile.launches) {
    if (launch.construct != kNone && launch.done) {
      busy[launch.device].push_back(launch.time);
      loads[launch.device].places[evidence.place_index(launch.construct)] += launch.time.length();
      runs[{launch.device, launch.kernel}].push_back(launch.time.length());
    }
  }
  for (const Copy& copy : profile.copies) {
    if (copy.done && loads.contains(copy.device)) {
      busy[copy.device].push_back(copy.time);
    }
  }
  for (auto& [key, times] : runs) {
    loads[key.first].typical += lower_quartile(times) * static_cast<Time>(times.size());
  }
  std::vector<Load> result;
  for (auto& [device, load] : loads) {
    load.device = device;
    load.busy = length(united(std::move(busy[device])));
    result.push_back(std::move(load));
  }
  return result;
}

/// How much longer than the mean `most` works.
Time beyond_mean(const std::vector<Load>& loads, const Load& most, Time Load::* work) {
  Time sum = 0;
  for (const Load& load : loads) {
    sum += load.*work;
  }
  const Time mean = sum / static_cast<Time>(loads.size());
  const bool is_unequal = static_cast<double>(most.*work) >= kUnequal * static_cast<double>(mean);
  return is_unequal ? most.*work - mean : 0;
}

} // namespace

void find_unequal_load(const Evidence& evidence, Findings& findings) {
  const std::vector<Load> loads = loads_of(evidence);
  if (loads.size() < 2) {
    return;
  }
  const Load& most = *std::ranges::max_element(loads, {}, &Load::busy);
  const Load& least = *std::ranges::min_element(loads, {}, &Load::busy);
  const Time saves =
      std::min(beyond_mean(loads, most, &Load::busy), beyond_mean(loads, most, &Load::typical));
  if (saves == 0) {
    return;
  }
  const auto longest =
      std::ranges::max_element(most.places, {}, [](const auto& place) { return place.second; });
  Finding finding;
  finding.id = "unequal-load";
  finding.saves = saves;
  finding.times = 1;
  at(finding, evidence.profile.places[longest->first]);
  finding.text =
      fmt::format("device {} works for {}, most of it here, and device {} for {}", most.device,
                  duration_text(most.busy), least.device, duration_text(least.busy));
  finding.change = fmt::format("give device {} a larger part of the work", least.device);
  findings.push_back(std::move(finding));
}

void find_late_images(const Evidence& evidence, Findings& findings) {
  const ProcessProfile& profile = evidence.profile;
  for (const Image& image : profile.images) {
    // A first, empty region for each device is how a program loads images early.
    const auto before = std::ranges::count_if(
        profile.launches, [&](const Launch& launch) { return launch.told < image.time.begin; });
    if (before <= static_cast<std::ptrdiff_t>(profile.devices.size()) ||
        image.time.length() < kLongLoad) {
      continue;
    }
    const auto next = std::ranges::find_if(profile.constructs, [&](const Construct& construct) {
      return construct.thread == image.thread && construct.time.begin >= image.time.end;
    });
    if (next == profile.constructs.end()) {
      continue;
    }
    Finding finding;
    finding.id = "late-image";
    finding.saves = image.time.length();
    finding.times = 1;
    at(finding, profile.places[next->place]);
    finding.text = fmt::format("the region waits {} until device {} has loaded its image, after {} "
                               "kernels of the program",
                               duration_text(image.time.length()), image.device, before);
    finding.change = fmt::format("let device {} load it early: an empty `target device({})` region "
                                 "at the start",
                                 image.device, image.device);
    findings.push_back(std::move(finding));
  }
}

void find_idle_memory(const Evidence& evidence, Findings& findings) {
  const ProcessProfile& profile = evidence.profile;
  // Constructs that attach pointers: what they name may be used through those.
  std::set<Index> attaching;
  for (const Copy& copy : profile.copies) {
    if (copy.kind == gantry::profile::kPointer) {
      attaching.insert(copy.construct);
    }
  }
  for (const DeviceRow& row : evidence.summary.devices) {
    if (row.peak_construct == kNone) {
      continue;
    }
    const Time peak_begin = profile.constructs[row.peak_construct].time.begin;
    for (const PeakPart& part : row.peak_parts) {
      if (part.size < kMuchMemory || part.size * kPartOfPeak < row.peak) {
        continue;
      }
      // The last construct that has named it while it was mapped.
      Index last = kNone;
      bool is_gone = false;
      bool is_attached = false;
      const auto use = [&](Index construct) {
        if (last == kNone ||
            profile.constructs[construct].time.begin > profile.constructs[last].time.begin) {
          last = construct;
        }
      };
      for (const Presence& presence : profile.presences) {
        const bool is_of = presence.device == row.device && presence.construct != kNone &&
                           presence.host >= part.host && presence.host - part.host < part.size;
        if (!is_of || is_gone) {
          continue;
        }
        const bool is_after = profile.constructs[presence.construct].time.begin >= peak_begin;
        if (presence.what == gantry::profile::kUnmapped) {
          is_gone = is_after;
        } else {
          use(presence.construct);
          is_attached |= attaching.contains(presence.construct);
        }
      }
      for (const Copy& copy : profile.copies) {
        // Not the copy back of its end.
        if (copy.device == row.device && copy.construct != kNone && copy.to_device &&
            copy.host >= part.host && copy.host - part.host < part.size) {
          use(copy.construct);
        }
      }
      if (is_attached || last == kNone || profile.constructs[last].time.begin >= peak_begin) {
        continue;
      }
      const Name& name = profile.names[part.name];
      Finding finding;
      finding.id = "idle-memory";
      finding.bytes = part.size;
      finding.times = 1;
      finding.variable = name.variable;
      at(finding, evidence.place_of(last));
      finding.text = fmt::format(
          "{} ({}) is still mapped when device {} has most mapped ({}, at {}), and no construct "
          "has named it since here",
          quoted(name, part.size), bytes_text(part.size), row.device, bytes_text(row.peak),
          evidence.place_of(row.peak_construct).shown);
      finding.change = fmt::format("unmap it behind this construct: `target exit data "
                                   "map(release: {})`, or `from` if the host needs it; unless its "
                                   "device address is used",
                                   name.variable.empty() ? "…" : name.variable);
      findings.push_back(std::move(finding));
    }
  }
}

} // namespace gantry::cli::profile
