#include "cli/profile/report.h"

#include <nlohmann/json.hpp>

namespace gantry::cli::profile {

namespace {

using Json = nlohmann::ordered_json;

Json regions(const ProcessReport& report) {
  Json rows = Json::array();
  for (const RegionRow& row : report.summary.regions) {
    const Place& place = report.profile.places[row.place];
    rows.push_back({{"construct", place.construct},
                    {"nowait", place.nowait},
                    {"position", place.position},
                    {"function", place.function},
                    {"calls", row.calls},
                    {"ns", row.time},
                    {"kernel_ns", row.kernel},
                    {"copy_ns", row.copies},
                    {"wait_ns", row.wait},
                    {"runtime_ns", row.rest()}});
  }
  return rows;
}

Json copies(const ProcessReport& report) {
  constexpr const char* kKinds[] = {"item", "private", "pointer", "routine"};
  Json rows = Json::array();
  for (const CopyRow& row : report.summary.copied) {
    const Name& name = report.profile.names[row.name];
    rows.push_back(
        {{"variable", name.variable},
         {"item_position", name.position},
         {"position", row.place == kNone ? "" : report.profile.places[row.place].position},
         {"kind", kKinds[row.kind]},
         {"to_device", row.to_device},
         {"clause", clause_text(row.clause)},
         {"calls", row.calls},
         {"bytes", row.bytes},
         {"ns", row.time}});
  }
  return rows;
}

Json devices(const ProcessReport& report) {
  const ProcessProfile& profile = report.profile;
  Json rows = Json::array();
  for (std::size_t i = 0; i < profile.devices.size(); ++i) {
    const Device& device = profile.devices[i];
    const DeviceRow& row = report.summary.devices[i];
    Json parts = Json::array();
    for (const PeakPart& part : row.peak_parts) {
      parts.push_back({{"variable", profile.names[part.name].variable},
                       {"bytes", part.size},
                       {"position", profile.places[part.place].position}});
    }
    const Place* const after = profile.place_of(row.gap_after);
    rows.push_back({{"device", device.number},
                    {"label", device.label},
                    {"description", device.description},
                    {"clock", device.clock},
                    {"lost", device.lost},
                    {"kernels", row.kernels},
                    {"kernel_ns", row.kernel},
                    {"copy_ns", row.copies},
                    {"overlap_ns", row.overlap},
                    {"idle_ns", row.idle},
                    {"longest_gap_ns", row.gap.length()},
                    {"longest_gap_after", after == nullptr ? "" : after->shown},
                    {"peak_bytes", row.peak},
                    {"peak", parts}});
  }
  return rows;
}

Json advice(const ProcessReport& report) {
  Json rows = Json::array();
  for (const Finding& finding : report.findings) {
    rows.push_back({{"id", finding.id},
                    {"saves_ns", finding.saves},
                    {"saves_bytes", finding.bytes},
                    {"times", finding.times},
                    {"variable", finding.variable},
                    {"position", finding.position},
                    {"text", finding.text},
                    {"change", finding.change}});
  }
  return rows;
}

} // namespace

Json json_of(const ProcessReport& report) {
  const ProcessProfile& profile = report.profile;
  const Summary& summary = report.summary;
  Json not_looked_for = Json::array();
  for (const FindingKind& kind : finding_kinds()) {
    if (kind.needs_content && !profile.has_content) {
      not_looked_for.push_back(kind.id);
    }
  }
  return {{"program", profile.program},
          {"process", profile.process},
          {"parent", profile.parent},
          {"ending", report.ending},
          {"exited", profile.exited},
          {"failures", profile.failures},
          {"missing_devices", profile.missing_devices},
          {"events", profile.events},
          {"dropped_events", profile.dropped},
          {"damaged_records", profile.damaged},
          {"data", profile.has_content},
          {"total_ns", summary.total},
          {"in_constructs_ns", summary.in_constructs},
          {"kernel_ns", summary.kernel},
          {"copy_ns", summary.copies},
          {"wait_ns", summary.wait},
          {"runtime_ns", summary.rest},
          {"regions", regions(report)},
          {"copies", copies(report)},
          {"devices", devices(report)},
          {"advice", advice(report)},
          {"not_looked_for", not_looked_for}};
}

} // namespace gantry::cli::profile
