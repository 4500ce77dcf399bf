#include "simt/host/library_beside.h"

#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>

namespace gantry::simt {

namespace {

tl::expected<void*, std::string> open_at(const std::string& path, const LibraryBeside& wanted) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return tl::unexpected(std::string(dlerror()));
  }
  const auto* const version = static_cast<const char*>(dlsym(library, wanted.version_name));
  if (version == nullptr || std::strcmp(version, wanted.version) != 0) {
    dlclose(library);
    return tl::unexpected(fmt::format("{} is of another version", path));
  }
  return library;
}

} // namespace

tl::expected<void*, std::string> open_library(const LibraryBeside& library) {
  Dl_info here = {};
  if (dladdr(library.own, &here) == 0 || here.dli_fname == nullptr) {
    return tl::unexpected(std::string("its place is not known"));
  }
  const std::string path = here.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  auto opened = open_at(folder + library.file, library);
  if (!opened) {
    const std::string error = opened.error();
    opened = open_at(folder + library.within_tree + library.file, library);
    if (!opened) {
      return tl::unexpected(error + "; " + opened.error());
    }
  }
  return opened;
}

} // namespace gantry::simt
