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

std::vector<std::string> files_of_linker_script(std::string_view text) {
  std::vector<std::string> files;
  Tokens tokens(text);
  for (auto command = tokens.next(); command; command = tokens.next()) {
    if ((command != "INPUT" && command != "GROUP") || tokens.next() != "(") {
      continue;
    }
    // AS_NEEDED ( … ) nests inside and names files like any other.
    for (int depth = 1; depth > 0;) {
      const auto token = tokens.next();
      if (!token) {
        return files;
      }
      if (token == "(") {
        ++depth;
      } else if (token == ")") {
        --depth;
      } else if (token != "," && token != "AS_NEEDED" && !token->empty()) {
        files.emplace_back(*token);
      }
    }
  }
  return files;
}

} // namespace gantry::link
