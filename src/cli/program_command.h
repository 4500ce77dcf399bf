// The command lines of subcommands that run a program: `gantry SUBCOMMAND [OPTION…] [--] PROGRAM
// [ARGUMENT…]`.
#pragma once

#include "cli/command_line.h"

#include <span>

namespace gantry::cli {

struct ProgramCommand {
  /// The subcommand's name and options: `argc` and `argv` for parse().
  std::span<char*> own;
  /// The program and its arguments, as they were given; null is behind the last. Empty if no
  /// program is named.
  std::span<char*> program;
};

/// Divides argv at the first word that is neither an option of `app` nor an option's value, or
/// behind `--`. Options that `app` does not have are left to parse(), which refuses them.
[[nodiscard]] ProgramCommand split_program_command(const CLI::App& app, int argc, char** argv);

} // namespace gantry::cli
