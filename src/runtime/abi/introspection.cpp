// What gantry/gantry.h offers: the runtime describes itself.
#include "runtime/abi/export.h"
#include "runtime/core/runtime.h"

#include <gantry/gantry.h>

using gantry::core::Runtime;

GANTRY_EXPORT void gantry_visit_devices(gantry_device_visitor visit, void* data) {
  for (const Runtime::Offer& offer : Runtime::instance().offers()) {
    const gantry_device_offer answer{offer.plugin.c_str(), offer.devices, offer.description.c_str(),
                                     offer.reason.empty() ? nullptr : offer.reason.c_str()};
    visit(&answer, data);
  }
}

GANTRY_EXPORT void gantry_visit_environment(gantry_environment_visitor visit, void* data) {
  for (const auto& variable : gantry::core::environment_variables()) {
    const gantry_environment_variable answer{variable.name, variable.default_value,
                                             variable.meaning};
    visit(&answer, data);
  }
}
