// GANTRY_DEVICES=auto: which kinds of device the registered programs are to have.
//
// A program has the devices of plugins in GANTRY_PLUGIN_PATH and NVIDIA's GPUs, if it has an image
// for them and the machine has some; else the CPU, if it has an image for that; else the PTX
// executor, and else an emulated CPU. Of the installation's plugins one is loaded only if some
// program has an image that is not the CPU's, so that programs for the CPU alone pay nothing for
// them; those of GANTRY_PLUGIN_PATH are always loaded.
#pragma once

#include "runtime/core/devices/plugin.h"
#include "runtime/core/programs/registry.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gantry::core {

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
