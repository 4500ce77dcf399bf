#include "plugins/cuda/driver.h"

namespace gantry::cuda {

// NVIDIA's driver, where the system's loader finds it.
std::string driver_library() {
  return "libcuda.so.1";
}

} // namespace gantry::cuda
