// Text: small questions that C++20's string_view does not answer itself, and messages.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace gantry::link {

[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

[[nodiscard]] inline bool contains(std::string_view text, char character) {
  return text.find(character) != std::string_view::npos;
}

/// Each line of `text` as it goes on about the error that it is appended to (link/main.cpp).
[[nodiscard]] inline std::string continued(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.empty()) {
      lines += "\n>>> ";
      lines += line;
    }
  }
  return lines;
}

} // namespace gantry::link
