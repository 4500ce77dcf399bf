// GANTRY_DEVICES=auto: which kinds of device the registered programs are to have.
//
// A program has the devices of plugins in GANTRY_PLUGIN_PATH and the installation's accelerators,
// if it has an image for them and the machine has some; else the host, if it has an image for that;
// else the first stand-in that it has an image for. Of the installation's plugins one is loaded
// only if some program has an image that is not the host's, so that programs for the host alone pay
// nothing for them; those of GANTRY_PLUGIN_PATH are always loaded.
#pragma once

#include "runtime/core/devices/plugin.h"
#include "runtime/core/programs/registry.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gantry::core {

/// How a plugin of the installation is used.
struct AutomaticPlugin {
  enum class Use : std::uint8_t {
    kAccelerator, ///< devices that are quicker than the host, if the machine has some
    kHost,        ///< the host's processors; one plugin is this
    kStandIn,     ///< for programs that have no image for any of those before
  };
  std::string_view name;
  Use use;
};
/// In the order in which they are tried; defined in runtime/installed_plugins.cpp.
[[nodiscard]] std::span<const AutomaticPlugin> automatic_plugins();

struct AutomaticDevices {
  struct Kind {
    const Plugin* plugin = nullptr;
    std::int32_t devices = 0; ///< as many as it offers
  };
  std::vector<std::unique_ptr<Plugin>> bound; ///< those that were not `known` before
  std::vector<Kind> kinds;                    ///< to be offered, in order
  std::vector<std::string> reasons;           ///< why others are of no use
};

/// `known` are the plugins bound already. Loads libraries: no lock may be held that code waits for
/// which runs while a library is loaded.
[[nodiscard]] AutomaticDevices choose_devices(Registry& registry,
                                              std::span<const Plugin* const> known);

} // namespace gantry::core
