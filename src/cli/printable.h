// Text from files, made fit for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace gantry::cli {

/// `text` with its control characters, those of ASCII and UTF-8's C1 range, written as \xNN, so
/// that what a file holds cannot move the cursor, change colours or begin a line of its own.
[[nodiscard]] std::string printable(std::string_view text);

} // namespace gantry::cli
