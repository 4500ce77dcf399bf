#include "runtime/core/devices/plugin_library.h"

#include "base/installation.h"
#include "base/nearest.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/host/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <unistd.h>

namespace gantry::core {

namespace {

constexpr std::string_view kLibraryPrefix = "libgantry-plugin-";
constexpr std::string_view kLibrarySuffix = ".so";

const LinkedPlugin* find_linked(std::string_view name) {
  const auto plugins = linked_plugins();
  const auto found = std::ranges::find(plugins, name, &LinkedPlugin::name);
  return found == plugins.end() ? nullptr : &*found;
}

/// A set-uid program does not load what its caller chooses.
std::vector<std::string> folders_of_user() {
  const char* const variable = secure_getenv("GANTRY_PLUGIN_PATH");
  return folders_of_path(variable == nullptr ? "" : variable);
}

/// The path of a plugin's library: the first that can be read, otherwise the installation's.
std::string library_path(std::string_view name) {
  const std::string file = fmt::format("{}{}{}", kLibraryPrefix, name, kLibrarySuffix);
  for (const std::string& folder : folders_of_user()) {
    if (std::string path = fmt::format("{}/{}", folder, file); access(path.c_str(), R_OK) == 0) {
      return path;
    }
  }
  return fmt::format("{}/{}", library_folder(), file);
}

void add_plugins_of(const std::string& folder, std::vector<std::string>& names) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(kLibraryPrefix) && file.ends_with(kLibrarySuffix)) {
      found.push_back(file.substr(kLibraryPrefix.size(),
                                  file.size() - kLibraryPrefix.size() - kLibrarySuffix.size()));
    }
  }
  std::ranges::sort(found);
  for (std::string& name : found) {
    if (std::ranges::find(names, name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
}

} // namespace

bool is_known_plugin(std::string_view name) {
  return find_linked(name) != nullptr || (name.find('/') == std::string_view::npos &&
                                          access(library_path(name).c_str(), R_OK) == 0);
}

std::vector<std::string> plugins_of_user() {
  std::vector<std::string> names;
  for (const std::string& folder : folders_of_user()) {
    add_plugins_of(folder, names);
  }
  return names;
}

std::vector<std::string> known_plugins() {
  std::vector<std::string> names = plugins_of_user();
  add_plugins_of(library_folder(), names);
  std::ranges::sort(names);
  std::vector<std::string> all;
  for (const LinkedPlugin& linked : linked_plugins()) {
    all.emplace_back(linked.name);
    std::erase(names, linked.name);
  }
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

std::string why_unknown(std::string_view name) {
  const std::vector<std::string> kinds = known_plugins();
  const std::vector<std::string_view> names(kinds.begin(), kinds.end());
  if (std::ranges::find(names, name) != names.end()) {
    const std::string path = library_path(name);
    const int error = access(path.c_str(), R_OK) == 0 ? 0 : errno;
    return fmt::format("the plugin of '{}', '{}', cannot be read: {}; give this user the right to, "
                       "or install Gantry again",
                       name, path, std::strerror(error));
  }
  return fmt::format(
      "'{}' is not a kind of device{}; the kinds here are: {}; `gantry doctor` says what to "
      "install for others",
      name, suggestion(name, names), fmt::join(names, ", "));
}

Result<std::unique_ptr<Plugin>> bind_plugin(std::string_view name) {
  if (const LinkedPlugin* const linked = find_linked(name); linked != nullptr) {
    return std::make_unique<Plugin>(std::string(name), *linked->table);
  }
  expect_no_lock("a plugin is loaded");
  const bool is_path = name.find('/') != std::string_view::npos;
  const std::string path = is_path ? std::string(name) : library_path(name);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail("the plugin '{}' does not load: {}; {}", name, dlerror(),
                is_path ? "build it again" : "install Gantry again");
  }
  auto* const get_plugin =
      reinterpret_cast<decltype(&gantry_get_plugin)>(dlsym(library, "gantry_get_plugin"));
  const gantry_plugin* const table =
      get_plugin == nullptr ? nullptr : get_plugin(GANTRY_PLUGIN_VERSION);
  if (table == nullptr) {
    return fail("'{}' is not a plugin for this runtime: {}; rebuild it with the header "
                "gantry/plugin.h of this installation",
                path,
                get_plugin == nullptr ? "it does not export gantry_get_plugin"
                                      : "its gantry_get_plugin() returns null");
  }
  if (table->version != GANTRY_PLUGIN_VERSION) {
    return fail("the plugin '{}' is written for version {} of the plugin interface and this "
                "runtime speaks version {}; rebuild the plugin",
                path, table->version, GANTRY_PLUGIN_VERSION);
  }
  auto plugin = std::make_unique<Plugin>(
      std::string(name), *table,
      reinterpret_cast<Plugin::FoundingMap>(dlsym(library, "__tgt_rtl_set_function_ptr_map")));
  if (const char* const missing = plugin->missing_function(); missing != nullptr) {
    return fail("the plugin '{}' lacks the function {}, which gantry/plugin.h requires", path,
                missing);
  }
  return plugin;
}

} // namespace gantry::core
