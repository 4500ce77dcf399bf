#include "cli/profile/report.h"

#include "cli/printable.h"
#include "cli/text_table.h"

#include <algorithm>

namespace gantry::cli::profile {

namespace {

/// So many rows of a table fit, with the others, on a screen.
constexpr std::size_t kRowsOnScreen = 6;
constexpr std::size_t kAdviceOnScreen = 8;
constexpr std::size_t kPartsOnScreen = 3;
/// Advice that saves less than one in so many parts of the process's time is not for a screen.
constexpr Time kWorth = 10'000;

using Align = TextTable::Align;

/// Empty for nothing: the table shows no column without a value.
std::string time_cell(Time time) {
  return time == 0 ? "" : duration_text(time);
}

std::size_t shown(std::size_t count, std::size_t on_screen, bool all) {
  return all ? count : std::min(count, on_screen);
}

std::string more(std::size_t count, std::size_t shown_rows, std::string_view what) {
  return count == shown_rows ? ""
                             : fmt::format("  and {} more {} (--all)\n", count - shown_rows, what);
}

std::string percent(Time part, Time whole) {
  return fmt::format("{:.0f} %",
                     whole == 0 ? 0.0
                                : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

/// "a, b and c" of those that are not empty.
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) {
      text += (text.empty() ? "" : ", ") + part;
    }
  }
  return text;
}

std::string part(std::string_view what, Time time) {
  return time == 0 ? "" : fmt::format("{} {}", what, duration_text(time));
}

std::string head_of(const ProcessReport& report) {
  const ProcessProfile& profile = report.profile;
  const Summary& summary = report.summary;
  const std::string device_count =
      fmt::format("{} device{}", profile.devices.size(), profile.devices.size() == 1 ? "" : "s");
  std::string text = fmt::format("{} (process {}) {}: {}, {}", file_name(profile.program),
                                 profile.process, report.ending, duration_text(summary.total),
                                 profile.devices.empty() ? "no device" : device_count);
  if (summary.in_constructs > 0) {
    text += fmt::format("; in constructs {}: {}", duration_text(summary.in_constructs),
                        joined({part("kernels", summary.kernel), part("copies", summary.copies),
                                part("waiting", summary.wait), part("runtime", summary.rest)}));
  }
  text = printable(text) + "\n";
  for (const std::string& failure : profile.failures) {
    text += printable(fmt::format("  {}", failure)) + "\n";
  }
  for (const std::string& missing : profile.missing_devices) {
    text += printable(fmt::format("  no device: {}", missing)) + "\n";
  }
  if (profile.dropped > 0) {
    text += fmt::format("  {} events are missing: the record has reached its limit of {} "
                        "(--limit)\n",
                        profile.dropped, bytes_text(profile.limit));
  }
  if (profile.damaged > 0) {
    text += fmt::format("  {} records of the profile are damaged and left out\n", profile.damaged);
  }
  const auto open = std::ranges::count(profile.constructs, false, &Construct::ended);
  if (open > 0 && profile.dropped == 0) { // else their ends may be what is missing
    const auto last = std::ranges::find(profile.constructs.rbegin(), profile.constructs.rend(),
                                        false, &Construct::ended);
    const Place& place = profile.places[last->place];
    text += printable(fmt::format("  the process ended in {} construct{}, the last one {} at {}",
                                  open, open == 1 ? "" : "s", place.construct, place.shown)) +
            "\n";
  }
  return text;
}

std::string regions_text(const ProcessReport& report, bool all) {
  const auto& rows = report.summary.regions;
  if (rows.empty()) {
    return "";
  }
  TextTable table({{"REGIONS", Align::kRight},
                   {"calls", Align::kRight},
                   {"kernel", Align::kRight},
                   {"copies", Align::kRight},
                   {"wait", Align::kRight},
                   {"runtime", Align::kRight},
                   {"where"},
                   {"what"}});
  const std::size_t count = shown(rows.size(), kRowsOnScreen, all);
  for (const RegionRow& row : std::span(rows).first(count)) {
    const Place& place = report.profile.places[row.place];
    table.add_row({duration_text(row.time), fmt::to_string(row.calls), time_cell(row.kernel),
                   time_cell(row.copies), time_cell(row.wait), time_cell(row.rest()), place.shown,
                   place.construct + (place.nowait ? " nowait" : "")});
  }
  return table.to_string() + more(rows.size(), count, "constructs");
}

std::string rate(std::uint64_t bytes, Time time) {
  return time == 0 ? ""
                   : fmt::format("{:.2f}", static_cast<double>(bytes) / static_cast<double>(time));
}

std::string variable_cell(const ProcessReport& report, const CopyRow& row) {
  using namespace gantry::profile;
  switch (row.kind) {
  case kPrivate:
    return "private copies";
  case kPointer:
    return "pointers";
  case kRoutine:
    return "(routine)";
  case kItem:
    break;
  }
  const Name& name = report.profile.names[row.name];
  return name.variable.empty() ? quoted(name, row.size) : name.variable;
}

std::string copies_text(const ProcessReport& report, bool all) {
  const auto& rows = report.summary.copied;
  if (rows.empty()) {
    return "";
  }
  TextTable table({{"COPIES", Align::kRight},
                   {"calls", Align::kRight},
                   {"time", Align::kRight},
                   {"GB/s", Align::kRight},
                   {"direction"},
                   {"variable"},
                   {"clause"},
                   {"where"}});
  const std::size_t count = shown(rows.size(), kRowsOnScreen, all);
  for (const CopyRow& row : std::span(rows).first(count)) {
    table.add_row({bytes_text(row.bytes), fmt::to_string(row.calls), duration_text(row.time),
                   rate(row.bytes, row.time), row.to_device ? "to device" : "from device",
                   variable_cell(report, row), clause_text(row.clause),
                   row.place == kNone ? "" : report.profile.places[row.place].shown});
  }
  return table.to_string() + more(rows.size(), count, "kinds of copies");
}

std::string devices_text(const ProcessReport& report) {
  const ProcessProfile& profile = report.profile;
  std::string text;
  for (std::size_t i = 0; i < profile.devices.size(); ++i) {
    const Device& device = profile.devices[i];
    const DeviceRow& row = report.summary.devices[i];
    const Time total = report.summary.total;
    const auto share = [&](std::string_view what, Time time) {
      return time == 0 ? "" : fmt::format("{} {}", what, percent(time, total));
    };
    std::string line =
        fmt::format("  {}: {}", device.label,
                    joined({share("kernels", row.kernel), share("copies", row.copies),
                            share("overlap", row.overlap), share("idle", row.idle)}));
    if (row.gap.length() > 0) {
      const Place* const after = profile.place_of(row.gap_after);
      line += fmt::format("; longest gap {}{}", duration_text(row.gap.length()),
                          after == nullptr ? "" : fmt::format(" after {}", after->shown));
    }
    if (row.peak > 0) {
      std::vector<std::string> parts;
      for (const PeakPart& piece : row.peak_parts) {
        if (parts.size() < kPartsOnScreen) {
          const Name& name = profile.names[piece.name];
          parts.push_back(name.variable.empty()
                              ? quoted(name, piece.size)
                              : fmt::format("{} {}", name.variable, bytes_text(piece.size)));
        }
      }
      line += fmt::format("; most mapped {} ({}{})", bytes_text(row.peak), joined(parts),
                          row.peak_parts.size() > parts.size() ? ", …" : "");
    }
    if (!device.lost.empty()) {
      line += fmt::format("; LOST after {}: {}", duration_text(device.lost_at - profile.time.begin),
                          device.lost);
    }
    text += printable(line) + "\n";
  }
  return text.empty() ? text : "  DEVICES\n" + text;
}

std::string advice_text(const ProcessReport& report, bool all) {
  const auto& findings = report.findings;
  std::string text;
  std::size_t count = shown(findings.size(), kAdviceOnScreen, all);
  while (!all && count > 0 && findings[count - 1].bytes == 0 &&
         findings[count - 1].saves < report.summary.total / kWorth) {
    --count;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Finding& finding = findings[i];
    text += printable(fmt::format("  {:>2}  {:>8}  {}: {}; {} [{}]", i + 1,
                                  finding.bytes > 0 ? bytes_text(finding.bytes)
                                                    : duration_text(finding.saves),
                                  finding.shown, finding.text, finding.change, finding.id)) +
            "\n";
  }
  text += more(findings.size(), count, "that would save less");
  if (!text.empty()) {
    text = "  ADVICE (what it would save at most)\n" + text;
  }
  if (!report.profile.has_content && !report.profile.copies.empty()) {
    std::vector<std::string> ids;
    for (const FindingKind& kind : finding_kinds()) {
      if (kind.needs_content) {
        ids.emplace_back(kind.id);
      }
    }
    text += fmt::format("  not looked for without --data: {}\n", joined(ids));
  }
  return text;
}

} // namespace

std::string duration_text(Time time) {
  const auto value = static_cast<double>(time);
  if (time < 1000) {
    return fmt::format("{} ns", time);
  }
  if (time < 1'000'000) {
    return fmt::format("{:.3g} us", value / 1e3);
  }
  if (time < 1'000'000'000) {
    return fmt::format("{:.3g} ms", value / 1e6);
  }
  return fmt::format("{:.2f} s", value / 1e9);
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 1000) {
    return fmt::format("{} B", bytes);
  }
  if (bytes < 1'000'000) {
    return fmt::format("{:.3g} kB", value / 1e3);
  }
  if (bytes < 1'000'000'000) {
    return fmt::format("{:.3g} MB", value / 1e6);
  }
  return fmt::format("{:.2f} GB", value / 1e9);
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string text_of(const ProcessReport& report, bool all) {
  std::string text = head_of(report);
  for (const std::string& part : {regions_text(report, all), copies_text(report, all),
                                  devices_text(report), advice_text(report, all)}) {
    text += part;
  }
  return text;
}

} // namespace gantry::cli::profile
