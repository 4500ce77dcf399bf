// The runtime that belongs to this `gantry`, asked about itself: lib/libgantry.so.1 beside bin/.
#pragma once

#include "base/result.h"

#include <gantry/gantry.h>

namespace gantry::cli {

/// The functions of gantry/gantry.h in the library as programs load it.
struct RuntimeLibrary {
  decltype(&::gantry_visit_devices) visit_devices;
  decltype(&::gantry_visit_environment) visit_environment;
  decltype(&::gantry_find_plugin) find_plugin;
};

/// Loads the library; it stays for the life of the process.
[[nodiscard]] Result<RuntimeLibrary> load_runtime_library();

/// Visits the environment variables that programs read: the runtime's and, where it is installed,
/// the PTX executor's. Visit devices before, because this loads the executor, which has the name of
/// NVIDIA's driver.
void visit_environment(const RuntimeLibrary& library, gantry_environment_visitor visit, void* data);

} // namespace gantry::cli
