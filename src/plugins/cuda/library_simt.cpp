// Where the driver of the plugin `simt` is: Gantry's PTX executor.
#include "plugins/cuda/driver.h"

#include "plugins/gpu/place.h"

namespace gantry::cuda {

// Gantry's PTX executor: ../simt/libcuda.so.1, seen from this plugin.
std::string driver_library() {
  const std::string folder = gpu::plugin_folder();
  return folder.empty() ? "libcuda.so.1 of the PTX executor" : folder + "../simt/libcuda.so.1";
}

// By its path it is another library than NVIDIA's.
std::string why_not_to_load() {
  return "";
}

std::string_view remedy_for_missing_library() {
  return "install Gantry again";
}

// The executor has printed which thread did what to which address.
std::string_view remedy_for_faults() {
  return "";
}

// The executor goes on until the process is gone.
void at_driver_end(void (*)()) {}

} // namespace gantry::cuda
