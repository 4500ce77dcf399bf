// Wastes of time and memory that a profile shows, each with what it costs and what to change.
#pragma once

#include "cli/profile/process_profile.h"
#include "cli/profile/summary.h"

#include <string>
#include <string_view>
#include <vector>

namespace gantry::cli::profile {

struct Finding {
  std::string_view id;     ///< "duplicate-copy": one of kFindings
  Time saves = 0;          ///< at most; 0 where `bytes` is what it saves
  std::uint64_t bytes = 0; ///< of device memory
  std::uint64_t times = 0; ///< how often it happened
  std::string variable;    ///< empty: it is about no variable
  std::string position;    ///< "src/app.cpp:31"
  std::string shown;       ///< the same for people: "app.cpp:31"
  std::string text;        ///< what it is
  std::string change;      ///< what to do
};

/// A kind of finding.
struct FindingKind {
  std::string_view id;
  std::string_view meaning;
  bool needs_content; ///< is looked for where the bytes of copies were hashed
};
[[nodiscard]] const std::vector<FindingKind>& finding_kinds();

/// All there are, those first that save most.
[[nodiscard]] std::vector<Finding> find_wastes(const ProcessProfile& profile,
                                               const Summary& summary);

} // namespace gantry::cli::profile
