// Where the HSA runtime of the plugin `simt-amd` is: Gantry's executor of AMD's code.
#include "plugins/hsa/library.h"

#include "plugins/gpu/place.h"

#include <cstdlib>

namespace gantry::hsa {

// ../simt-amd/libhsa-runtime64.so.1, seen from this plugin.
std::string library_path() {
  const std::string folder = gpu::plugin_folder();
  return folder.empty() ? "libhsa-runtime64.so.1 of the executor of AMD's code"
                        : folder + "../simt-amd/libhsa-runtime64.so.1";
}

// By its path it is another library than AMD's.
std::string why_not_to_load() {
  return "";
}

std::string_view remedy_for_missing_library() {
  return "install Gantry again";
}

std::string_view remedy_for_failed_start() {
  return "";
}

std::string_view remedy_for_new_code() {
  return "";
}

// The executor has printed which thread did what to which address.
std::string_view remedy_for_faults() {
  return "";
}

void at_library_end(void (*handler)()) {
  (void)std::atexit(handler);
}

} // namespace gantry::hsa
