// Linker scripts that stand for libraries, such as glibc's libc.so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::link {

/// The files (and -l libraries) that the INPUT and GROUP commands of `text` name, AS_NEEDED ones
/// included, in order. Any text is accepted; what is no such command is skipped.
[[nodiscard]] std::vector<std::string> files_of_linker_script(std::string_view text);

} // namespace gantry::link
