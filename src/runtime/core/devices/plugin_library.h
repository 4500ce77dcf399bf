// Where plugins come from: those that are linked in, and libraries in the folders of
// GANTRY_PLUGIN_PATH and beside libgantry.
#pragma once

#include "runtime/core/devices/plugin.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::core {

struct LinkedPlugin {
  std::string_view name;
  const gantry_plugin* table;
};
/// The plugins that are part of libgantry; defined in runtime/installed_plugins.cpp.
[[nodiscard]] std::span<const LinkedPlugin> linked_plugins();

/// The names that GANTRY_DEVICES may hold: the plugins that are linked in, then the others in
/// order.
[[nodiscard]] std::vector<std::string> known_plugins();
[[nodiscard]] bool is_known_plugin(std::string_view name);

/// The names of the plugins in the folders of GANTRY_PLUGIN_PATH, in the order of the folders.
/// Empty in set-uid programs.
[[nodiscard]] std::vector<std::string> plugins_of_user();

/// A sentence for a name that is_known_plugin() does not know.
[[nodiscard]] std::string why_unknown(std::string_view name);

/// Binds the plugin called `name`, loading its library unless it is linked in. A name with a '/' is
/// the path of a library.
[[nodiscard]] Result<std::unique_ptr<Plugin>> bind_plugin(std::string_view name);

} // namespace gantry::core
