#include "cli/profile/summary.h"

#include "cli/profile/in_order.h"
#include "cli/profile/intervals.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace gantry::cli::profile {

namespace {

using gantry::profile::kMapped;
using gantry::profile::kUnmapped;

std::vector<RegionRow> regions_of(const ProcessProfile& profile,
                                  const std::vector<ConstructTimes>& times) {
  std::vector<RegionRow> rows(profile.places.size());
  for (std::size_t i = 0; i < profile.constructs.size(); ++i) {
    const Construct& construct = profile.constructs[i];
    RegionRow& row = rows[construct.place];
    row.place = construct.place;
    ++row.calls;
    row.time += construct.time.length();
    row.kernel += times[i].kernel;
    row.copies += times[i].copies;
    row.wait += times[i].wait;
  }
  std::erase_if(rows, [](const RegionRow& row) { return row.calls == 0; });
  put_in_order(rows, &RegionRow::time, std::greater<>());
  return rows;
}

std::vector<CopyRow> copies_of(const ProcessProfile& profile) {
  std::map<std::tuple<Index, Index, int, bool, std::uint16_t>, CopyRow> rows;
  for (const Copy& copy : profile.copies) {
    const Index place = copy.construct == kNone ? kNone : profile.constructs[copy.construct].place;
    CopyRow& row = rows[{copy.name, place, copy.kind, copy.to_device, copy.clause}];
    row.name = copy.name;
    row.place = place;
    row.kind = copy.kind;
    row.to_device = copy.to_device;
    row.clause = copy.clause;
    row.size = std::max(row.size, copy.size);
    row.bytes += copy.size;
    ++row.calls;
    row.time += copy.time.length();
  }
  std::vector<CopyRow> sorted;
  for (const auto& [key, row] : rows) {
    sorted.push_back(row);
  }
  put_in_order(sorted, &CopyRow::bytes, std::greater<>());
  return sorted;
}

/// Fills in what was mapped when most was.
void find_peak(const ProcessProfile& profile, DeviceRow& row) {
  std::map<std::uint64_t, PeakPart> mapped; // by host address
  std::map<std::uint64_t, PeakPart> at_peak;
  std::uint64_t bytes = 0;
  bool grows = false; // the peak may be at the next event that takes something away
  const auto look = [&](Index construct) {
    if (grows && bytes > row.peak) {
      row.peak = bytes;
      row.peak_construct = construct;
      at_peak = mapped;
    }
    grows = false;
  };
  Index last = kNone;
  for (const Presence& presence : profile.presences) {
    if (presence.device != row.device || presence.construct == kNone) {
      continue;
    }
    if (presence.what == kMapped) {
      const Index place = profile.constructs[presence.construct].place;
      auto& part = mapped[presence.host];
      bytes += presence.size - part.size;
      part = {presence.name, place, presence.host, presence.size};
      grows = true;
      last = presence.construct;
    } else if (presence.what == kUnmapped) {
      look(last);
      if (const auto found = mapped.find(presence.host); found != mapped.end()) {
        bytes -= found->second.size;
        mapped.erase(found);
      }
    }
  }
  look(last);
  for (const auto& [host, part] : at_peak) {
    row.peak_parts.push_back(part);
  }
  put_in_order(row.peak_parts, &PeakPart::size, std::greater<>());
}

DeviceRow device_row(const ProcessProfile& profile, std::int32_t device) {
  DeviceRow row;
  row.device = device;
  std::vector<Interval> kernels;
  std::vector<Interval> copies;
  // Ends of operations, to tell what came before a gap.
  std::vector<std::pair<Time, Index>> ends;
  for (const Launch& launch : profile.launches) {
    if (launch.device == device && launch.done) {
      ++row.kernels;
      kernels.push_back(launch.time);
      ends.emplace_back(launch.time.end, launch.construct);
    }
  }
  for (const Copy& copy : profile.copies) {
    if (copy.device == device && copy.done) {
      copies.push_back(copy.time);
      ends.emplace_back(copy.time.end, copy.construct);
    }
  }
  const TimeSet with_kernel = united(std::move(kernels));
  const TimeSet with_copy = united(std::move(copies));
  std::vector<Interval> all = with_kernel;
  all.insert(all.end(), with_copy.begin(), with_copy.end());
  const TimeSet busy = united(std::move(all));
  row.kernel = length(with_kernel);
  row.copies = length(with_copy);
  row.overlap = length(common(with_kernel, with_copy));
  row.idle = std::max<Time>(0, profile.time.length() - length(busy));
  for (std::size_t i = 1; i < busy.size(); ++i) {
    const Interval gap{busy[i - 1].end, busy[i].begin};
    if (gap.length() > row.gap.length()) {
      row.gap = gap;
    }
  }
  if (row.gap.length() > 0) {
    for (const auto& [end, construct] : ends) {
      if (end == row.gap.begin) {
        row.gap_after = construct;
      }
    }
  }
  find_peak(profile, row);
  return row;
}

} // namespace

std::string quoted(const Name& name, std::uint64_t size) {
  return name.variable.empty() ? fmt::format("{} bytes without a name", size)
                               : fmt::format("'{}'", name.variable);
}

std::string clause_text(std::uint16_t clause) {
  using namespace gantry::profile;
  if ((clause & kClauseKnown) == 0) {
    return "";
  }
  const bool to = (clause & kClauseTo) != 0;
  const bool from = (clause & kClauseFrom) != 0;
  const char* const type = (clause & kClauseDelete) != 0 ? "delete"
                           : to && from                  ? "tofrom"
                           : to                          ? "to"
                           : from                        ? "from"
                                                         : "alloc";
  return fmt::format("{}{}{}{}", (clause & kClauseImplicit) != 0 ? "implicit " : "",
                     (clause & kClauseAlways) != 0 ? "always " : "",
                     (clause & kClausePresent) != 0 ? "present " : "", type);
}

std::vector<ConstructTimes> times_of_constructs(const ProcessProfile& profile) {
  std::vector<ConstructTimes> times(profile.constructs.size());
  for (const Launch& launch : profile.launches) {
    if (launch.construct != kNone) {
      times[launch.construct].kernel += launch.time.length();
    }
  }
  for (const Copy& copy : profile.copies) {
    if (copy.construct != kNone) {
      times[copy.construct].copies += copy.time.length();
    }
  }
  for (const Wait& wait : profile.waits) {
    if (wait.construct != kNone) {
      times[wait.construct].wait += wait.time.length();
    }
  }
  // The host waits for kernels and copies too: what is left is for what others have put before.
  for (ConstructTimes& of_one : times) {
    of_one.wait = std::max<Time>(0, of_one.wait - of_one.kernel - of_one.copies);
  }
  return times;
}

Summary summarise(const ProcessProfile& profile) {
  Summary summary;
  const std::vector<ConstructTimes> times = times_of_constructs(profile);
  summary.total = profile.time.length();
  summary.regions = regions_of(profile, times);
  for (const RegionRow& row : summary.regions) {
    summary.in_constructs += row.time;
    summary.kernel += row.kernel;
    summary.copies += row.copies;
    summary.wait += row.wait;
    summary.rest += row.rest();
  }
  summary.copied = copies_of(profile);
  for (const Device& device : profile.devices) {
    summary.devices.push_back(device_row(profile, device.number));
  }
  return summary;
}

} // namespace gantry::cli::profile
