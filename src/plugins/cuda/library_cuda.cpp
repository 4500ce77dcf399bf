#include "plugins/cuda/driver.h"

namespace gantry::cuda {

// NVIDIA's driver, where the system's loader finds it.
std::string driver_library() {
  return "libcuda.so.1";
}

std::string_view remedy_for_faults() {
  return "; the device is lost to this process, and with GANTRY_DEVICES=simt the program runs "
         "where "
         "an access that is wrong is found and named";
}

} // namespace gantry::cuda
