// Two profiles of a program, before and after a change.
#pragma once

#include "base/result.h"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gantry::cli::profile {

/// What `gantry profile --json` has written, or the report in a page of `--html`.
[[nodiscard]] Result<nlohmann::ordered_json> read_report(const std::string& file);

/// Totals, regions, copies and advice side by side, those first that have changed most.
[[nodiscard]] std::string comparison(const nlohmann::ordered_json& before,
                                     const nlohmann::ordered_json& after, bool all);

} // namespace gantry::cli::profile
