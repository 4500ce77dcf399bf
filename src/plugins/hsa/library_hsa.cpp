// Where the HSA runtime of the plugin `hsa` is: AMD's library.
#include "plugins/hsa/library.h"

#include "plugins/gpu/place.h"

#include <cstdlib>

#include <unistd.h>

namespace gantry::hsa {

// AMD's runtime, where the system's loader finds it.
std::string library_path() {
  return "libhsa-runtime64.so.1";
}

// A library that is loaded stands for any of its name.
std::string why_not_to_load() {
  const std::string folder = gpu::plugin_folder();
  return !folder.empty() && gpu::is_loaded(folder + "libgantry-plugin-simt-amd.so") &&
                 gpu::is_loaded(folder + "../simt-amd/libhsa-runtime64.so.1")
             ? "the executor of AMD's code is loaded already, whose library has the runtime's "
               "name; "
               "in GANTRY_DEVICES name hsa before simt-amd"
             : "";
}

std::string_view remedy_for_missing_library() {
  return "install AMD's runtime (Debian's package libhsa-runtime64-1), or use simt-amd, which runs "
         "the same code without a GPU";
}

std::string_view remedy_for_failed_start() {
  constexpr const char* kDriver = "/dev/kfd";
  if (access(kDriver, F_OK) != 0) {
    return "; there is no /dev/kfd, which the kernel's driver amdgpu makes where there is a GPU of "
           "AMD's; simt-amd runs the same code without one";
  }
  if (access(kDriver, R_OK | W_OK) != 0) {
    return "; you may not use /dev/kfd: have yourself put into the group that it belongs to, which "
           "is render";
  }
  return "";
}

std::string_view remedy_for_new_code() {
  return "; older runtimes take version 5: compile with -mcode-object-version=5";
}

std::string_view remedy_for_faults() {
  return "; the device is lost to this process, and with GANTRY_DEVICES=simt-amd the program runs "
         "where an access that is wrong is found and named";
}

void at_library_end(void (*handler)()) {
  (void)std::atexit(handler);
}

} // namespace gantry::hsa
