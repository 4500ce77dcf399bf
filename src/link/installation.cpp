#include "link/installation.h"

#include "base/installation.h"

#include <unistd.h>

namespace gantry::link {

namespace {

const Result<std::filesystem::path>& root() {
  static const Result<std::filesystem::path> instance = find_installation();
  return instance;
}

} // namespace

Status check_installation() {
  return root().map([](const auto&) {});
}

const std::filesystem::path& installation_root() {
  return *root();
}

std::array<std::string, 2> runtime_folders() {
  const std::filesystem::path libraries = installation_root() / "lib";
  return {libraries.string(), (libraries / "gantry/host").string()};
}

std::filesystem::path openmp_library() {
  return installation_root() / "lib/gantry/host/libomp.so";
}

std::filesystem::path cpu_device_library() {
  return installation_root() / "lib/gantry/libgantry-device-cpu.a";
}

std::filesystem::path foreign_device_library(const ForeignCpu& cpu) {
  return installation_root() / fmt::format("lib/gantry/libgantry-device-{}.a", cpu.name);
}

std::filesystem::path foreign_folder(const ForeignCpu& cpu) {
  return installation_root() / fmt::format("lib/gantry/{}", cpu.name);
}

std::filesystem::path nvptx_device_library() {
  return installation_root() / "lib/gantry/gantry-device-nvptx64.bc";
}

std::filesystem::path nvptx_mathematics_library() {
  return installation_root() / "lib/gantry/gantry-mathematics-nvptx64.bc";
}

std::filesystem::path amdgcn_device_library() {
  return installation_root() / "lib/gantry/gantry-device-amdgcn.bc";
}

std::filesystem::path amdgcn_mathematics_library() {
  return installation_root() / "lib/gantry/gantry-mathematics-amdgcn.bc";
}

std::filesystem::path pass_plugin() {
  return installation_root() / "lib/gantry/clang/libgantry-passes-" GANTRY_LLVM_VERSION ".so";
}

std::filesystem::path preferred_device_linker() {
  return access(GANTRY_DEVICE_LINKER, X_OK) == 0 ? GANTRY_DEVICE_LINKER : "";
}

} // namespace gantry::link
