#include "link/installation.h"

#include <unistd.h>

namespace gantry::link {

const std::filesystem::path& installation_root() {
  // This program is <root>/libexec/clang-linker-wrapper.
  static const std::filesystem::path root =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  return root;
}

std::filesystem::path cpu_device_library() {
  return installation_root() / "lib/gantry/libgantry-device-cpu.a";
}

std::filesystem::path preferred_device_linker() {
  return access(GANTRY_DEVICE_LINKER, X_OK) == 0 ? GANTRY_DEVICE_LINKER : "";
}

} // namespace gantry::link
