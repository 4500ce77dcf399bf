// Plugins that work from the program's start on: see start_with_program of gantry/plugin.h.
#pragma once

#include <span>
#include <string_view>

namespace gantry::core {

/// The plugins of the installation that have it; defined in runtime/installed_plugins.cpp.
[[nodiscard]] std::span<const std::string_view> plugins_that_start_early();

/// Starts those that GANTRY_DEVICES names, once. Loads libraries: no lock may be held. What cannot
/// be loaded is told where devices are asked for.
void start_early_plugins();

/// The process has come to where they are ended: their devices are gone.
[[nodiscard]] bool early_plugins_are_ended();

} // namespace gantry::core
