#include "link/installation.h"

#include <system_error>

#include <unistd.h>

namespace gantry::link {

namespace {

/// This program is <root>/libexec/clang-linker-wrapper.
struct Root {
  std::error_code error;
  std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
};

const Root& root() {
  static const Root instance;
  return instance;
}

} // namespace

Status check_installation() {
  if (root().error) {
    return fail("cannot find Gantry's installation: the link '/proc/self/exe' to this program "
                "cannot be read: {}; mount /proc",
                root().error.message());
  }
  return {};
}

const std::filesystem::path& installation_root() {
  return root().path;
}

std::array<std::string, 2> runtime_folders() {
  const std::filesystem::path libraries = installation_root() / "lib";
  return {libraries.string(), (libraries / "gantry/host").string()};
}

std::filesystem::path cpu_device_library() {
  return installation_root() / "lib/gantry/libgantry-device-cpu.a";
}

std::filesystem::path preferred_device_linker() {
  return access(GANTRY_DEVICE_LINKER, X_OK) == 0 ? GANTRY_DEVICE_LINKER : "";
}

} // namespace gantry::link
