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

/// Accepts numbers that count from one.
inline CLI::Validator from_one_up() {
  return {[](std::string& text) {
            std::uint64_t number = 0;
            const char* const end = text.data() + text.size();
            const auto [behind, error] = std::from_chars(text.data(), end, number);
            return error == std::errc() && behind == end && number > 0
                       ? std::string()
                       : fmt::format("'{}' is not a whole number from 1 up", text);
          },
          "FROM 1 UP"};
}

} // namespace gantry::cli
