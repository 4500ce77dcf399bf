// What gantry/gantry.h offers: the runtime describes itself.
#include "runtime/abi/export.h"
#include "runtime/core/devices/plugin_library.h"
#include "runtime/core/host/settings.h"
#include "runtime/core/runtime/runtime.h"

#include <gantry/gantry.h>

using gantry::core::Runtime;

GANTRY_EXPORT void gantry_visit_devices(gantry_device_visitor visit, void* data) {
  for (const Runtime::Offer& offer : Runtime::instance().offers()) {
    const gantry_device_offer answer{offer.plugin.c_str(), offer.devices, offer.description.c_str(),
                                     offer.reason.empty() ? nullptr : offer.reason.c_str()};
    visit(&answer, data);
  }
}

GANTRY_EXPORT const gantry_plugin* gantry_find_plugin(const char* name, const char** reason) {
  static thread_local std::string problem;
  const bool is_path = std::string_view(name).find('/') != std::string_view::npos;
  if (!is_path && !gantry::core::is_known_plugin(name)) {
    problem = gantry::core::why_unknown(name);
    *reason = problem.c_str();
    return nullptr;
  }
  auto plugin = gantry::core::bind_plugin(name);
  if (!plugin) {
    problem = plugin.error().message;
    *reason = problem.c_str();
    return nullptr;
  }
  return &plugin->release()->functions(); // bound until the process ends
}

GANTRY_EXPORT void gantry_visit_environment(gantry_environment_visitor visit, void* data) {
  for (const auto& variables :
       {gantry::core::environment_variables(), gantry::core::variables_of_plugins()}) {
    for (const auto& variable : variables) {
      const gantry_environment_variable answer{variable.name, variable.default_value,
                                               variable.meaning};
      visit(&answer, data);
    }
  }
}
