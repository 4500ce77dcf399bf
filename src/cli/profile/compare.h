// Two profiles of a program, before and after a change.
#pragma once

#include "base/result.h"

#include <string>

#include <nlohmann/json.hpp>

namespace gantry::cli::profile {

/// What json_text() of `gantry profile --json` has written. The error says what is missing.
[[nodiscard]] Result<nlohmann::ordered_json> read_report(const std::string& file);

/// Totals, regions, copies and advice side by side, those first that have changed most.
[[nodiscard]] std::string comparison(const nlohmann::ordered_json& before,
                                     const nlohmann::ordered_json& after, bool all);

} // namespace gantry::cli::profile
