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

/// Made by a thread that opens devices: the end waits for it, for a second at most, since devices
/// that cannot be opened are told of.
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

/// Whether a failure of a target task is to be ignored: the plugins are ended, so nobody needs what
/// the task does, but libomp waits for the task to return.
[[nodiscard]] inline bool is_of_the_end(const Construct& construct) {
  return construct.nowait && early_plugins_are_ended();
}

/// Called before any other failure is told. When the plugins are ended, the failure may be a
/// consequence; then the call waits for the end of the process. It returns at once in the thread
/// that ends the process, and in target tasks.
void wait_for_the_end(const Construct& construct);

} // namespace gantry::core
