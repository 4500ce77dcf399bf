// Profiles as one page for a browser: tables, advice, sources and timelines, of a run or of two
// beside each other. The page has everything in it and fetches nothing.
#pragma once

#include "base/result.h"
#include "cli/profile/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace gantry::cli::profile {

/// What a page holds of a run.
struct PageRun {
  /// A JSON object: what `gantry profile --json` prints, and what page.cpp adds.
  std::string report;
  std::string timelines; ///< base64 of what page/data.js reads
};

/// `name` is the run's in a page of two. Reads the sources whose files are known (find_sources()).
[[nodiscard]] PageRun page_run(const std::vector<ProcessReport>& reports, std::string_view name);

/// The run of a page of one, or a report of `gantry profile --json`, which has no timelines.
[[nodiscard]] Result<PageRun> read_page_run(const std::string& file, std::string_view name);

[[nodiscard]] std::string page_of(const std::vector<PageRun>& runs);

/// The report in a page's text; an empty view if the text is none. The view is of the text.
[[nodiscard]] std::string_view report_in_page(std::string_view page);

} // namespace gantry::cli::profile
