// Other programs: run to the end, with what they print, or in this one's place.
#pragma once

#include "base/result.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <signal.h>

namespace gantry::cli {

struct Ended {
  int status = 0;     ///< the exit status; 128 and the signal's number if one ended it
  std::string output; ///< stdout and stderr, at most 64 KiB
};

/// Blocks the signals that end a program (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE) while it
/// exists, so that the process can clean up first; they are delivered when it is destroyed. At most
/// one, in a process of one thread.
class HeldSignals {
public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  /// A descriptor that is readable once one is waiting; -1 if there is none to be had.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool any() const;
  /// What was blocked before.
  [[nodiscard]] const sigset_t& before() const { return before_; }

private:
  sigset_t before_;
  int descriptor_ = -1;
};

/// Runs `arguments`, whose first is the program's path, with `environment` on top of this process's
/// (an empty value takes the variable away) and nothing to read, and waits for its end. A program
/// that takes longer than `patience`, or is running when a signal comes, is killed with all that it
/// has started; that is an error, as is one that cannot be started.
[[nodiscard]] Result<Ended>
run_to_the_end(const std::vector<std::string>& arguments,
               const std::vector<std::pair<std::string, std::string>>& environment,
               std::chrono::seconds patience, const HeldSignals& signals);

/// Where the shell finds a program; the name itself if it does not.
[[nodiscard]] std::filesystem::path found_program(const std::string& name);

/// Replaces this process by the program that is the first of `arguments`; returns only where that
/// fails, an error that ends with `advice`.
[[nodiscard]] tl::unexpected<Error> replace_process(std::vector<std::string> arguments,
                                                    std::string_view advice);

} // namespace gantry::cli
