#include "runtime/core/runtime/early_plugins.h"

#include "runtime/core/devices/plugin_library.h"
#include "runtime/core/host/settings.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <unistd.h>

namespace gantry::core {

namespace {

/// What is to be ended with the program; never freed.
std::vector<const Plugin*>& started() {
  static auto* const plugins = new std::vector<const Plugin*>;
  return *plugins;
}

std::atomic<bool> are_ended{false};
constinit thread_local bool ends_them = false;

void start(std::string_view name) {
  auto plugin = bind_plugin(name);
  if (plugin && (*plugin)->functions().start_with_program != nullptr) {
    (*plugin)->functions().start_with_program();
    started().push_back(plugin->release());
  }
}

} // namespace

constinit std::atomic<int> EarlyPluginsInUse::users{0};

/// An exit handler.
void end_early_plugins() {
  ends_them = true;
  are_ended.store(true);
  constexpr int kLongest = 1000; // what takes longer than as many milliseconds fails, and is told
  for (int waited = 0; waited < kLongest && EarlyPluginsInUse::users.load() > 0; ++waited) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const Plugin* const plugin : started()) {
    if (plugin->functions().end_with_program != nullptr) {
      plugin->functions().end_with_program();
    }
  }
}

void start_early_plugins() {
  static std::atomic<bool> is_done{false};
  if (is_done.exchange(true)) {
    return;
  }
  const char* const devices = secure_getenv("GANTRY_DEVICES");
  for (const std::string_view name : plugins_that_start_early()) {
    if (devices != nullptr && names_device(devices, name)) {
      start(name);
    }
  }
  if (!started().empty()) {
    // Registered before what ends the program's images, so it runs behind that.
    (void)std::atexit(end_early_plugins);
  }
}

bool early_plugins_are_ended() {
  return are_ended.load();
}

void wait_for_the_end(const Construct& construct) {
  while (are_ended.load() && !ends_them && !construct.nowait) {
    pause();
  }
}

} // namespace gantry::core
