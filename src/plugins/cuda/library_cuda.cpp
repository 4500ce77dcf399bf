// Where the driver of the plugin `cuda` is: NVIDIA's library.
#include "plugins/cuda/driver.h"

#include "plugins/gpu/place.h"

#include <cstdlib>

namespace gantry::cuda {

// NVIDIA's driver, where the system's loader finds it.
std::string driver_library() {
  return "libcuda.so.1";
}

// A library that is loaded stands for any of its name.
std::string why_not_to_load() {
  const std::string folder = gpu::plugin_folder();
  return !folder.empty() && gpu::is_loaded(folder + "libgantry-plugin-simt.so") &&
                 gpu::is_loaded(folder + "../simt/libcuda.so.1")
             ? "the PTX executor is loaded already, whose library has the driver's name; in "
               "GANTRY_DEVICES name cuda before simt"
             : "";
}

std::string_view remedy_for_missing_library() {
  return "install NVIDIA's driver (Debian's package nvidia-driver), or use simt, which runs the "
         "same code without a GPU";
}

std::string_view remedy_for_faults() {
  return "; the device is lost to this process, and with GANTRY_DEVICES=simt the program runs "
         "where an access that is wrong is found and named";
}

void at_driver_end(void (*handler)()) {
  (void)std::atexit(handler);
}

} // namespace gantry::cuda
