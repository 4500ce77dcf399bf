// Small questions about text that C++20's string_view does not answer itself.
#pragma once

#include <string_view>

namespace gantry::link {

[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

[[nodiscard]] inline bool contains(std::string_view text, char character) {
  return text.find(character) != std::string_view::npos;
}

} // namespace gantry::link
