// A program that is run to the end, and what it prints.
#pragma once

#include "base/result.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace gantry::cli {

struct Ended {
  int status = 0;     ///< the exit status; 128 and the signal's number if one ended it
  std::string output; ///< stdout and stderr, at most 64 KiB
};

/// Runs `arguments`, whose first is the program's path, with `environment` on top of this process's
/// (an empty value takes the variable away) and nothing to read, and waits for its end. A program
/// that takes longer than `patience` is killed; that is an error, as is one that cannot be started.
[[nodiscard]] Result<Ended>
run_to_the_end(const std::vector<std::string>& arguments,
               const std::vector<std::pair<std::string, std::string>>& environment,
               std::chrono::seconds patience);

} // namespace gantry::cli
