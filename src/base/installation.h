// Where Gantry is installed, as its own programs find out.
#pragma once

#include "base/result.h"

#include <filesystem>

namespace gantry {

/// The folder that holds bin/, lib/, libexec/ and share/: this program is in one of them.
[[nodiscard]] Result<std::filesystem::path> find_installation();

} // namespace gantry
