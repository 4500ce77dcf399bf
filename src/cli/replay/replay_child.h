// A process of its own for a replay whose kernel runs in it and may end it.
#pragma once

#include "base/result.h"

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace gantry::cli {

/// What a replay reports while it is at work.
struct ReplayReports {
  std::function<void()> ready; ///< the next is the kernel
  /// One run of the kernel and what came of it, as `--json` has it.
  std::function<void(nlohmann::ordered_json)> run;
};

struct ChildEnd {
  bool same = true; ///< what `work` has answered; true if it did not
  /// How the kernel ended the process, a sentence; empty if it did not.
  std::string failure;
};

/// Calls `work` in a child process, for which this one must have one thread, and passes on to
/// `run` what it reports. Its errors are those of `work`; the end of the process before `ready` is
/// one too.
[[nodiscard]] Result<ChildEnd>
replay_in_child(const std::function<Result<bool>(const ReplayReports&)>& work,
                const std::function<void(nlohmann::ordered_json)>& run);

} // namespace gantry::cli
