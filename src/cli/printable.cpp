#include "cli/printable.h"

#include <fmt/format.h>

namespace gantry::cli {

std::string printable(std::string_view text) {
  constexpr unsigned char kDelete = 0x7F;
  constexpr unsigned char kC1Lead = 0xC2; // U+0080 to U+009F are C2 80 to C2 9F
  const auto code_at = [&](std::size_t index) {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0;
  };
  std::string result;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const unsigned code = code_at(index);
    const unsigned next = code_at(index + 1);
    if (code == kC1Lead && next >= 0x80 && next <= 0x9F) {
      result += fmt::format("\\x{:02X}\\x{:02X}", code, next);
      ++index;
    } else if (code < ' ' || code == kDelete) {
      result += fmt::format("\\x{:02X}", code);
    } else {
      result += text[index];
    }
  }
  return result;
}

} // namespace gantry::cli
