// Plugins that work from the program's start on: see start_with_program of gantry/plugin.h.
#pragma once

#include "runtime/core/events/events.h"

#include <atomic>
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

/// As long as a thread opens devices: they are not ended meanwhile, which would be told as a
/// failure.
class EarlyPluginsInUse {
public:
  EarlyPluginsInUse() { users.fetch_add(1); }
  EarlyPluginsInUse(const EarlyPluginsInUse&) = delete;
  EarlyPluginsInUse& operator=(const EarlyPluginsInUse&) = delete;
  ~EarlyPluginsInUse() { users.fetch_sub(1); }

private:
  friend void end_early_plugins();
  static constinit std::atomic<int> users;
};

/// A failure of a target task's may come of that, and is nobody's any more: libomp waits for the
/// task, which is to end.
[[nodiscard]] inline bool is_of_the_end(const Construct& construct) {
  return construct.nowait && early_plugins_are_ended();
}

/// In front of what is told of another failure: if it may come of that, the call does not return,
/// but in the thread that ends the process.
void wait_for_the_end(const Construct& construct);

} // namespace gantry::core
