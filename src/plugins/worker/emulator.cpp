#include "plugins/worker/emulator.h"

#include <fmt/format.h>
#include <unistd.h>

namespace gantry::worker {

namespace {

/// Where QEMU is: a program's PATH may lead anywhere. Empty if it is not there.
std::string find_qemu(const ForeignCpu& cpu, const std::string& folder) {
  for (const std::string& place :
       {folder + "/libexec", std::string("/usr/bin"), std::string("/usr/local/bin")}) {
    for (const char* const suffix : {"", "-static"}) {
      std::string path = fmt::format("{}/qemu-{}{}", place, cpu.qemu, suffix);
      if (access(path.c_str(), X_OK) == 0) {
        return path;
      }
    }
  }
  return "";
}

/// The folder in which the emulated program finds its loader as it is named; empty if there is
/// none.
std::string find_root(const ForeignCpu& cpu) {
  std::string cross = folder_of(cpu);
  if (access(fmt::format("{}/lib/{}", cross, cpu.loader).c_str(), R_OK) == 0) {
    return cross;
  }
  for (const char* const folder : {"lib", "lib64"}) {
    if (access(fmt::format("/{}/{}", folder, cpu.loader).c_str(), R_OK) == 0) {
      return "/";
    }
  }
  return "";
}

} // namespace

tl::expected<std::vector<std::string>, std::string> emulator_command(const ForeignCpu& cpu,
                                                                     const std::string& folder) {
  const std::string worker = fmt::format("{}/libexec/gantry-worker-{}", folder, cpu.name);
  if (access(worker.c_str(), R_OK) != 0) {
    return tl::unexpected(
        fmt::format("'{}' is missing: Gantry was built without Debian's cross packages for {}; "
                    "run scripts/setup foreign and build Gantry again",
                    worker, cpu.triple));
  }
  const std::string qemu = find_qemu(cpu, folder);
  if (qemu.empty()) {
    return tl::unexpected(fmt::format("code for {} is run by '/usr/bin/qemu-{}', which is missing; "
                                      "install Debian's package qemu-user",
                                      cpu.name, cpu.qemu));
  }
  const std::string root = find_root(cpu);
  if (root.empty()) {
    return tl::unexpected(fmt::format("the C library for {} is missing, '{}/lib/{}'; install "
                                      "Debian's package libc6-{}-cross",
                                      cpu.name, folder_of(cpu), cpu.loader, cpu.debian));
  }
  return std::vector<std::string>{
      qemu,  "-L", root, "-E", fmt::format("LD_LIBRARY_PATH={}/lib/gantry/{}", folder, cpu.name),
      worker};
}

} // namespace gantry::worker
