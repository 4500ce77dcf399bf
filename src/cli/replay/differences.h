// Where the results of a replay are others than those that were recorded.
#pragma once

#include "cli/replay/replayed_launch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::cli {

struct Differences {
  std::uint64_t words = 0;        ///< of 4 bytes, the last of a block perhaps of fewer
  std::uint64_t of = 0;           ///< words that there are
  std::vector<std::string> first; ///< a line for each of the first ones, for people
};

/// `most`: lines at most.
[[nodiscard]] Differences find_differences(const recording::Recording& recording,
                                           const ReplayResult& result, std::size_t most);

} // namespace gantry::cli
