// Running the linkers: a child process, what it says kept, and its death when ours comes.
#pragma once

#include "base/result.h"
#include "link/arguments.h"

#include <string>
#include <vector>

namespace gantry::link {

struct ProcessResult {
  int exit_code = 0;    ///< 128 + signal number when a signal ended it, as a shell reports it
  std::string captured; ///< what it wrote to the stream that was captured
};

enum class Capture { kNothing, kOutput, kDiagnostics };

/// Runs `command` (a path and its arguments; PATH is not searched) to its end. Long argument lists
/// go through `response_file`, if given. An error means that it could not be started. Any thread.
[[nodiscard]] Result<ProcessResult> run_process(const std::vector<std::string>& command,
                                                Capture capture,
                                                const std::string& response_file = {});

/// Replaces this process by `command`; returns only to say why it could not.
[[nodiscard]] Error replace_process(const std::vector<std::string>& command);

/// Ends the children that are running and waits for them. For the signal thread.
void end_children();

/// True if `command` is too long for the system to take as arguments.
[[nodiscard]] bool needs_response_file(const std::vector<std::string>& command);

/// Prints `command` to standard error, quoted for a shell, if --wrapper-verbose or --dry-run ask
/// for it. Any thread.
void show_command(const Arguments& arguments, const std::vector<std::string>& command);

} // namespace gantry::link
