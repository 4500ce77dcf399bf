#include "plugins/cuda/driver.h"

#include <dlfcn.h>

namespace gantry::cuda {

namespace {

// Never closed: kernels may run while the process ends.
Driver open_driver() {
  Driver driver;
  const std::string path = driver_library();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    driver.problem = fmt::format("the driver's library cannot be loaded: {}", dlerror());
    return driver;
  }
#define GANTRY_LOOK_UP(name)                                                                       \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));                    \
  if (driver.name == nullptr) {                                                                    \
    driver.problem = fmt::format("the driver '{}' lacks {}; install a newer one", path, #name);    \
    return driver;                                                                                 \
  }
  GANTRY_PLUGIN_ENTRIES(GANTRY_LOOK_UP)
#undef GANTRY_LOOK_UP
  if (const CUresult result = driver.cuInit(0); result != CUDA_SUCCESS) {
    const char* name = nullptr;
    driver.cuGetErrorName(result, &name);
    driver.problem =
        fmt::format("the driver cannot be used: cuInit: {}", name != nullptr ? name : "?");
  }
  return driver;
}

} // namespace

const Driver& driver() {
  static const auto* const opened = new Driver(open_driver());
  return *opened;
}

std::string text_of(CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  return name == nullptr ? fmt::format("error {}", static_cast<int>(result))
                         : fmt::format("{} ({})", name, text != nullptr ? text : "");
}

std::int32_t check(CUresult result, std::string_view call) {
  if (result == CUDA_SUCCESS) [[likely]] {
    return GANTRY_SUCCESS;
  }
  return report(result == CUDA_ERROR_OUT_OF_MEMORY ? GANTRY_OUT_OF_MEMORY : GANTRY_FAILURE,
                "{}: {}", call, text_of(result));
}

} // namespace gantry::cuda

extern "C" {

int32_t __tgt_rtl_api_version(void) {
  return GANTRY_PLUGIN_API_VERSION;
}

const char* __tgt_rtl_error_message(void) {
  return gantry::plugins::last_error;
}

} // extern "C"
