#include "cli/native_architecture.h"

#include "cli/command.h"

#include <set>

#include <dlfcn.h>
#include <gantry/cuda_driver.h>

namespace gantry::cli {

namespace {

constexpr const char* kOfExecutor = "sm_90";

/// Compute capabilities (90 is 9.0); none where there is no driver or no GPU.
std::set<int> capabilities() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {};
  }
#define GANTRY_LOOK_UP(name)                                                                       \
  auto* const call_##name = reinterpret_cast<decltype(&name)>(dlsym(library, #name));              \
  if (call_##name == nullptr) {                                                                    \
    return {};                                                                                     \
  }
  GANTRY_LOOK_UP(cuInit)
  GANTRY_LOOK_UP(cuDeviceGetCount)
  GANTRY_LOOK_UP(cuDeviceGet)
  GANTRY_LOOK_UP(cuDeviceGetAttribute)
#undef GANTRY_LOOK_UP
  int count = 0;
  if (call_cuInit(0) != CUDA_SUCCESS || call_cuDeviceGetCount(&count) != CUDA_SUCCESS) {
    return {};
  }
  std::set<int> found;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    int major = 0, minor = 0;
    if (call_cuDeviceGet(&device, i) == CUDA_SUCCESS &&
        call_cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ==
            CUDA_SUCCESS &&
        call_cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) ==
            CUDA_SUCCESS) {
      found.insert(10 * major + minor);
    }
  }
  return found;
}

} // namespace

std::string native_architectures() {
  std::string names;
  for (const int capability : capabilities()) {
    names += fmt::format("{}sm_{}", names.empty() ? "" : ",", capability);
  }
  if (names.empty()) {
    fmt::print(stderr,
               "gantry: note: no GPU is to be found, so 'native' is {}, the PTX executor's\n",
               kOfExecutor);
    names = kOfExecutor;
  }
  return names;
}

} // namespace gantry::cli
