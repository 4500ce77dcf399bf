// Where the plugin itself is.
#pragma once

#include <string>

namespace gantry::gpu {

/// The folder that this plugin's library is in, with its '/'; empty if that is not known.
[[nodiscard]] std::string plugin_folder();

/// Whether the process has the library at this path.
[[nodiscard]] bool is_loaded(const std::string& path);

} // namespace gantry::gpu
