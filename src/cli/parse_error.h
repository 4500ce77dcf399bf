// How every subcommand ends when its command line is not one to carry out.
#pragma once

#include "cli/command.h"

#include <CLI/CLI.hpp>

namespace gantry::cli {

/// Prints what --help or --version ask for, or the mistake in the command line; the exit status.
inline int exit_of_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    return app.exit(error);
  }
  return report({fmt::format("{}; `{} --help` explains", error.what(), app.get_name())});
}

} // namespace gantry::cli
