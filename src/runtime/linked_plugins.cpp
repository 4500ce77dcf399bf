// The plugins that are part of libgantry.
#include "plugins/cpu/entries.h"
#include "runtime/core/devices/plugin_library.h"

#include <array>

namespace gantry::core {

std::span<const LinkedPlugin> linked_plugins() {
  static const std::array plugins = {LinkedPlugin{.name = "cpu", .table = &cpu::plugin()}};
  return plugins;
}

} // namespace gantry::core
