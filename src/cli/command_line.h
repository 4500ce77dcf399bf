// How every command reads its command line.
#pragma once

#include "cli/command.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

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

/// Accepts whole numbers from `least` on.
inline CLI::Validator from(std::uint64_t least) {
  return {[least](std::string& text) {
            std::uint64_t number = 0;
            const char* const end = text.data() + text.size();
            const auto [behind, error] = std::from_chars(text.data(), end, number);
            return error == std::errc() && behind == end && number >= least
                       ? std::string()
                       : fmt::format("'{}' is not a whole number from {} up", text, least);
          },
          fmt::format("FROM {} UP", least)};
}

} // namespace gantry::cli
