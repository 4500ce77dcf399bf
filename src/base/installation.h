// Where Gantry is installed, as its own programs find out, and the folders of users' plugins.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// The folder that holds bin/, lib/, libexec/ and share/: this program is in one of them.
[[nodiscard]] Result<std::filesystem::path> find_installation();

/// The folders in a value of GANTRY_PLUGIN_PATH, which ':' separates.
[[nodiscard]] std::vector<std::string> folders_of_path(std::string_view value);

} // namespace gantry
