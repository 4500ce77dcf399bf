#include "cli/program_command.h"

#include <string>
#include <string_view>

namespace gantry::cli {
namespace {

/// How many of the words behind it an option takes at least.
std::size_t values_behind(const CLI::App& app, std::string_view word) {
  const auto values_of = [&](const std::string& name) -> std::size_t {
    const CLI::Option* const option = app.get_option_no_throw(name);
    return option == nullptr ? 0 : static_cast<std::size_t>(option->get_items_expected_min());
  };
  if (word.starts_with("--")) {
    return word.find('=') != std::string_view::npos ? 0 : values_of(std::string(word));
  }
  for (std::size_t i = 1; i < word.size(); ++i) { // flags, and an option with its value behind it
    if (const std::size_t values = values_of({'-', word[i]}); values > 0) {
      return i + 1 == word.size() ? values : 0;
    }
  }
  return 0;
}

} // namespace

ProgramCommand split_program_command(const CLI::App& app, int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") {
      return {words.first(i), words.subspan(i + 1)};
    }
    if (!word.starts_with('-') || word == "-") {
      return {words.first(i), words.subspan(i)};
    }
    i += values_behind(app, word);
  }
  return {words, {}};
}

} // namespace gantry::cli
