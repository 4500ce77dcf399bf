#include "cli/runtime_library.h"

#include "base/installation.h"

#include <gantry/simt_driver.h>

#include <dlfcn.h>

namespace gantry::cli {

Result<RuntimeLibrary> load_runtime_library() {
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  const std::string path = (root / "lib/libgantry.so.1").string();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail("the runtime does not load: {}; Gantry's installation is not complete", dlerror());
  }
  RuntimeLibrary functions{};
  functions.visit_devices =
      reinterpret_cast<decltype(functions.visit_devices)>(dlsym(library, "gantry_visit_devices"));
  functions.visit_environment = reinterpret_cast<decltype(functions.visit_environment)>(
      dlsym(library, "gantry_visit_environment"));
  functions.find_plugin =
      reinterpret_cast<decltype(functions.find_plugin)>(dlsym(library, "gantry_find_plugin"));
  if (functions.visit_devices == nullptr || functions.visit_environment == nullptr ||
      functions.find_plugin == nullptr) {
    return fail("'{}' is not of this version of Gantry", path);
  }
  return functions;
}

void visit_environment(const RuntimeLibrary& library, gantry_environment_visitor visit,
                       void* data) {
  library.visit_environment(visit, data);
  const Result<std::filesystem::path> root = find_installation();
  void* const executor =
      root ? dlopen((*root / "lib/simt/libcuda.so.1").c_str(), RTLD_LAZY | RTLD_LOCAL) : nullptr;
  if (executor == nullptr) {
    return;
  }
  const auto visit_more = reinterpret_cast<decltype(&::gantry_simt_visit_environment)>(
      dlsym(executor, "gantry_simt_visit_environment"));
  if (visit_more != nullptr) {
    visit_more(visit, data);
  }
}

} // namespace gantry::cli
