// One process's profile, ready to be shown, and the ways to show it.
#pragma once

#include "cli/profile/findings.h"
#include "cli/profile/process_profile.h"
#include "cli/profile/summary.h"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace gantry::cli::profile {

struct ProcessReport {
  ProcessProfile profile;
  Summary summary;
  std::vector<Finding> findings;
  std::string ending; ///< "ended with exit status 0", "was killed by signal 9 (Killed)"
};

/// For a terminal. Without `all` it fits on a screen.
[[nodiscard]] std::string text_of(const ProcessReport& report, bool all);

/// For programs: docs/profile.md describes it.
[[nodiscard]] nlohmann::ordered_json json_of(const ProcessReport& report);

/// "3.10 s", "410 ms", "12.3 us", "80 ns".
[[nodiscard]] std::string duration_text(Time time);
/// "8.39 MB", "4.10 kB", "512 B".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// The last part of a path.
[[nodiscard]] std::string file_name(const std::string& path);

} // namespace gantry::cli::profile
