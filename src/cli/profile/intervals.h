// Sets of stretches of time.
#pragma once

#include "cli/profile/process_profile.h"

#include <vector>

namespace gantry::cli::profile {

/// Stretches in order that do not touch.
using TimeSet = std::vector<Interval>;

/// What at least one of `intervals` holds.
[[nodiscard]] TimeSet united(std::vector<Interval> intervals);
/// What both hold.
[[nodiscard]] TimeSet common(const TimeSet& a, const TimeSet& b);
[[nodiscard]] Time length(const TimeSet& set);

} // namespace gantry::cli::profile
