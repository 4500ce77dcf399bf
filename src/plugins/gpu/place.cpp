#include "plugins/gpu/place.h"

#include <string_view>

#include <dlfcn.h>

namespace gantry::gpu {

std::string plugin_folder() {
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void*>(&plugin_folder), &here) == 0 ||
      here.dli_fname == nullptr) {
    return "";
  }
  const std::string_view path = here.dli_fname;
  return std::string(path.substr(0, path.rfind('/') + 1));
}

bool is_loaded(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return library != nullptr && dlclose(library) == 0;
}

} // namespace gantry::gpu
