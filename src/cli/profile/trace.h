// Profiles as a trace for Perfetto and chrome://tracing, in Chrome's JSON format.
//
// A process of the trace is a program's process, with a track for each of its threads, or a device
// of one, with a track for each queue. Slices of a track nest. A flow leads from a construct by way
// of its copies and its kernel back to it.
#pragma once

#include "cli/profile/report.h"

#include <functional>
#include <string_view>
#include <vector>

namespace gantry::cli::profile {

/// Takes the next piece of a text.
using TextSink = std::function<void(std::string_view)>;

/// Writes one JSON object. Times count from the begin of the first process.
void write_trace(const std::vector<ProcessReport>& reports, const TextSink& sink);

} // namespace gantry::cli::profile
