#include "plugins/mpi/node/far_plugins.h"

#include "base/installation.h"
#include "plugins/cpu/entries.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

namespace gantry::mpi {

namespace {

std::vector<std::string> folders() {
  const char* const variable = secure_getenv("GANTRY_PLUGIN_PATH");
  std::vector<std::string> all = folders_of_path(variable == nullptr ? "" : variable);
  if (const auto root = find_installation()) {
    all.push_back(*root / "lib/gantry");
  }
  return all;
}

Result<const gantry_plugin*> load(std::string_view name) {
  if (name == "cpu") {
    return &cpu::plugin();
  }
  const bool is_name = name.find('/') == name.npos && name != "mpi";
  for (const std::string& folder : is_name ? folders() : std::vector<std::string>()) {
    const std::string path = fmt::format("{}/libgantry-plugin-{}.so", folder, name);
    if (access(path.c_str(), R_OK) != 0) {
      continue;
    }
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return fail("the plugin '{}' does not load: {}", name, dlerror());
    }
    const auto get =
        reinterpret_cast<decltype(&gantry_get_plugin)>(dlsym(library, "gantry_get_plugin"));
    const gantry_plugin* const table = get == nullptr ? nullptr : get(GANTRY_PLUGIN_VERSION);
    if (table == nullptr || table->version != GANTRY_PLUGIN_VERSION) {
      return fail("'{}' is no plugin of version {} of the plugin interface; build it again", path,
                  GANTRY_PLUGIN_VERSION);
    }
    // Functions that are not in the plugin's table are null.
    auto* const whole = new gantry_plugin();
    std::memcpy(whole, table, std::min(table->size, sizeof *whole));
    return whole;
  }
  return fail("'{}' is not a kind of device that is installed there", name);
}

} // namespace

Result<const gantry_plugin*> InstalledPlugins::find(std::string_view name) {
  if (const auto found = found_.find(name); found != found_.end()) {
    return found->second;
  }
  const gantry_plugin* const table = GANTRY_TRY(load(name));
  found_.emplace(name, table);
  return table;
}

} // namespace gantry::mpi
