#include "link/linker_script.h"

#include "link/text.h"

#include <algorithm>
#include <optional>

namespace gantry::link {
namespace {

/// Splits a script into words, quoted names, and the punctuation that matters here.
class Tokens {
public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  /// The next token; nothing at the end of the script.
  std::optional<std::string_view> next() {
    skip_space();
    if (rest_.empty()) {
      return std::nullopt;
    }
    if (rest_.front() == '"') {
      rest_.remove_prefix(1);
      return take(rest_.find('"'), 1);
    }
    constexpr std::string_view kPunctuation = "(){},;";
    if (contains(kPunctuation, rest_.front())) {
      return take(1, 0);
    }
    return take(rest_.find_first_of("(){},; \t\r\n\""), 0);
  }

private:
  void skip_space() {
    while (true) {
      const std::size_t start = rest_.find_first_not_of(" \t\r\n");
      rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
      if (!rest_.starts_with("/*")) {
        return;
      }
      const std::size_t end = rest_.find("*/", 2);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
    }
  }

  std::string_view take(std::size_t length, std::size_t skipped) {
    const std::string_view token = rest_.substr(0, length);
    rest_.remove_prefix(std::min(rest_.size(), token.size() + skipped));
    return token;
  }

  std::string_view rest_;
};

} // namespace

LinkerScript read_linker_script(std::string_view text) {
  LinkerScript script;
  Tokens tokens(text);
  for (auto command = tokens.next(); command; command = tokens.next()) {
    if (command == "INCLUDE") {
      if (const auto file = tokens.next()) {
        script.files.push_back({.name = std::string(*file)});
      }
      continue;
    }
    const bool names_files = command == "INPUT" || command == "GROUP";
    if ((!names_files && command != "EXTERN" && command != "SEARCH_DIR") || tokens.next() != "(") {
      continue;
    }
    // AS_NEEDED ( … ) nests inside and names files like any other.
    bool as_needed = false;
    for (int depth = 1; depth > 0;) {
      const auto token = tokens.next();
      if (!token) {
        return script;
      }
      if (token == "(") {
        ++depth;
      } else if (token == ")") {
        --depth;
        as_needed = false;
      } else if (token == "AS_NEEDED") {
        as_needed = true;
      } else if (token == "," || token->empty()) {
        continue;
      } else if (names_files) {
        script.files.push_back({.name = std::string(*token), .as_needed = as_needed});
      } else {
        (command == "EXTERN" ? script.externals : script.search_folders).emplace_back(*token);
      }
    }
  }
  return script;
}

} // namespace gantry::link
