#include "runtime/core/module_path.h"

#include <filesystem>

#include <dlfcn.h>

namespace gantry::core {

std::string library_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&library_folder), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  // A program may have found the library through one of the links in lib/gantry itself.
  std::error_code error;
  const auto library = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::string() : (library.parent_path() / "gantry").string();
}

std::string module_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "program";
}

} // namespace gantry::core
