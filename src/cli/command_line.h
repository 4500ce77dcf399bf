// How every command reads its command line.
#pragma once

#include "cli/command.h"

#include <optional>

#include <CLI/CLI.hpp>

namespace gantry::cli {

/// Nothing where the command is to be carried out. Else prints what --help or --version ask for, or
/// the mistake in the command line, and returns the exit status.
inline std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0
               ? app.exit(error)
               : report({fmt::format("{}; `{} --help` explains", error.what(), app.get_name())});
  }
  return std::nullopt;
}

} // namespace gantry::cli
