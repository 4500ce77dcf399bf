#include "simt/driver/messages.h"

#include "simt/host/settings.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace gantry::simt::driver {

void report_image_error(const ImageError& error, JitOptions& options) {
  if (options.has_error_log()) {
    options.write_error(error.log);
  } else {
    std::fprintf(stderr, "gantry: error: an image cannot be loaded: %s", error.log.c_str());
  }
}

CUresult not_offered(const char* what) noexcept {
  try {
    if (settings().info) {
      static std::mutex* const mutex = new std::mutex;
      static auto* const said = new std::set<std::string>;
      const std::lock_guard lock(*mutex);
      if (said->emplace(what).second) {
        std::fprintf(stderr, "gantry: info: simt: %s is not offered\n", what);
      }
    }
  } catch (...) {
    // The line is a courtesy; the code says the same.
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace gantry::simt::driver
