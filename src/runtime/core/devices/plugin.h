// A plugin as the core sees it: the table of include/gantry/plugin.h, with errors as values. One
// Plugin for each kind of device.
#pragma once

#include "base/result.h"
#include "runtime/core/host/lock.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <gantry/plugin.h>

namespace gantry::core {

/// A bound plugin. Immutable, so any thread may use it; lives until the process ends.
class Plugin {
public:
  using FoundingMap = decltype(&::__tgt_rtl_set_function_ptr_map);

  /// `table` is what the plugin returned, of the version of this runtime. `founding_map`: the
  /// function of that name that the plugin exports, or null.
  Plugin(std::string name, const gantry_plugin& table, FoundingMap founding_map = nullptr);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// To be called with no lock of the core held. Optional functions that the plugin lacks are null,
  /// those behind the end of its table among them.
  [[nodiscard]] const gantry_plugin& functions() const {
    expect_no_lock("the plugin is called");
    return functions_;
  }
  [[nodiscard]] FoundingMap founding_map() const { return founding_map_; }

  /// The first required function that the plugin lacks; null if it has all.
  [[nodiscard]] const char* missing_function() const;
  /// The same for the functions of queues.
  [[nodiscard]] const char* missing_queue_function() const;

  /// Success, or the plugin's message for the call that returned `status`.
  [[nodiscard]] Status check(gantry_status status) const {
    return status == GANTRY_SUCCESS ? Status() : failure(status);
  }

  /// The number of devices that the plugin offers; the error says why there is none.
  [[nodiscard]] Result<int> count_devices() const;

  /// The plugin's devices are those of other plugins, by whose names they are asked for.
  [[nodiscard]] bool has_kinds() const { return functions_.add_devices != nullptr; }
  /// See add_devices of gantry/plugin.h; `count` is -1 for as many as there are.
  [[nodiscard]] Result<int> add_devices(const std::string& kind, int count) const;

  [[nodiscard]] bool accepts(std::span<const std::byte> image) const {
    return functions().accepts_image(image.data(), image.size()) != 0;
  }

private:
  [[nodiscard]] Status failure(gantry_status status) const;

  std::string name_;
  gantry_plugin functions_ = {};
  FoundingMap founding_map_;
};

} // namespace gantry::core
