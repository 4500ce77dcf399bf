// Running the program that is to be profiled.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gantry::cli::profile {

/// A folder of this user's alone, removed with what is in it; by a later one if this process is
/// killed.
class PrivateFolder {
public:
  /// In $TMPDIR; where that is not set in /dev/shm if it has 4 GiB of room, else in /tmp.
  [[nodiscard]] static Result<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  PrivateFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_; ///< the descriptor of the file that is locked while it is in use; -1: none
};

/// How a program ended.
struct ProgramEnd {
  int process = 0;
  int status = 0;        ///< the exit status; 128 and the signal's number if one ended it
  std::string ending;    ///< "ended with exit status 0", "was killed by signal 9 (Killed)"
  std::int64_t time = 0; ///< when, by CLOCK_MONOTONIC
};

struct Recording {
  std::filesystem::path folder; ///< for profiles
  std::string options;          ///< GANTRY_PROFILE_OPTIONS
};

/// Runs a program in the foreground, found as the shell does, with what it needs to come to this
/// Gantry: a library path for those that were linked to LLVM's runtime, and for GCC's the runtime
/// before libgomp. Signals that a terminal sends go to both; SIGTERM and SIGHUP are handed on.
[[nodiscard]] Result<ProgramEnd> run_recorded(const std::vector<std::string>& command,
                                              const Recording& recording);

} // namespace gantry::cli::profile
