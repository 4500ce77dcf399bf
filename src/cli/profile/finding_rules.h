// The rules behind find_wastes(): each appends what it finds.
#pragma once

#include "cli/profile/findings.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace gantry::cli::profile {

/// What the rules look at.
struct Evidence {
  const ProcessProfile& profile;
  const Summary& summary;
  std::vector<ConstructTimes> times; ///< of each construct

  [[nodiscard]] const Place& place_of(Index construct) const {
    return profile.places[profile.constructs[construct].place];
  }
  [[nodiscard]] Index place_index(Index construct) const {
    return profile.constructs[construct].place;
  }
};

using Findings = std::vector<Finding>;

/// Says where it is.
inline void at(Finding& finding, const Place& place) {
  finding.position = place.position.empty() ? place.shown : place.position;
  finding.shown = place.shown;
}

/// "once", "7 times".
[[nodiscard]] inline std::string times_text(std::uint64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

/// The time that `index` others at most are shorter than; puts `times` into another order.
[[nodiscard]] inline Time nth_shortest(std::vector<Time>& times, std::size_t index) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(index);
  std::ranges::nth_element(times, at);
  return *at;
}

/// The median, and what a quarter is shorter than, of `times`, of which there is one at least; both
/// put them into another order.
[[nodiscard]] inline Time middle(std::vector<Time>& times) {
  return nth_shortest(times, times.size() / 2);
}
[[nodiscard]] inline Time lower_quartile(std::vector<Time>& times) {
  return nth_shortest(times, times.size() / 4);
}

// finding_rules_copies.cpp: what is copied and mapped without need.

/// The same bytes again; back unchanged, by the same or by another construct.
void find_needless_copies(const Evidence& evidence, Findings& findings);
/// After find_needless_copies(), whose findings need not be told twice.
void find_loop_mappings(const Evidence& evidence, Findings& findings);
void find_small_copies(const Evidence& evidence, Findings& findings);

// finding_rules_regions.cpp: target regions.

void find_short_regions(const Evidence& evidence, Findings& findings);
void find_single_teams(const Evidence& evidence, Findings& findings);
void find_missing_nowait(const Evidence& evidence, Findings& findings);

// finding_rules_devices.cpp: devices and their memory.

void find_unequal_load(const Evidence& evidence, Findings& findings);
void find_late_images(const Evidence& evidence, Findings& findings);
void find_idle_memory(const Evidence& evidence, Findings& findings);

} // namespace gantry::cli::profile
