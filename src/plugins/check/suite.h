// The conformance suite of gantry/plugin.h: runs each case in a process of its own, so that a
// plugin that crashes, hangs or ends the process is said by name.
#pragma once

#include "plugins/check/test.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace gantry::plugin_check {

/// All cases, in the order in which they run.
[[nodiscard]] std::vector<Case> all_cases();

struct Outcome {
  enum class Kind : std::uint8_t { kPassed, kFailed, kSkipped };
  Kind kind = Kind::kPassed;
  std::string text;  ///< what is wrong, or why it was skipped
  bool hung = false; ///< it took longer than it may
};

/// Loads what is tested, in the process of a case. The string is why it cannot.
using Load = std::function<std::string(Subject&)>;

/// Runs one case. A case that takes longer than `limit` has failed.
[[nodiscard]] Outcome run(const Case& tested, const Load& load, std::chrono::seconds limit);

} // namespace gantry::plugin_check
