// The private folder of one link, which is gone however the link ends.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace gantry::link {

/// Owns a folder of mode 0700 and removes it with all it holds: in the destructor, and in the
/// signal thread when a signal ends the process. One at a time.
class TemporaryDirectory {
public:
  /// Makes a new folder under $TMPDIR (default /tmp), or, when `kept` is not empty, makes or
  /// empties `kept` and leaves it behind.
  [[nodiscard]] static Result<TemporaryDirectory> create(const std::filesystem::path& kept = {});

  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  TemporaryDirectory(std::filesystem::path path, bool keep) : path_(std::move(path)), keep_(keep) {}

  std::filesystem::path path_;
  bool keep_;
};

/// Ends the children and removes the temporary folder, if there is one, for a process that is about
/// to end with _exit or by a signal. From any thread.
void leave_nothing_behind();

/// Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE and SIGXCPU in this thread and those it starts,
/// and gives them to a thread of their own, which ends the children, removes the temporary folder
/// and ends the process by the same signal. Call once, before any other thread exists.
void handle_signals();

/// Gives the signals their ordinary meaning again, for exec.
void restore_signals();

} // namespace gantry::link
