#include "plugins/cuda/driver.h"

#include <dlfcn.h>

namespace gantry::cuda {

// Gantry's PTX executor: ../simt/libcuda.so.1, seen from this plugin.
std::string driver_library() {
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void*>(&driver_library), &here) == 0 ||
      here.dli_fname == nullptr) {
    return "libcuda.so.1 of the PTX executor";
  }
  const std::string path = here.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + "../simt/libcuda.so.1";
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

} // namespace gantry::cuda
