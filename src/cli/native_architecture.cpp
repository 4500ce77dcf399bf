#include "cli/native_architecture.h"

#include "cli/command.h"

#include <array>
#include <set>
#include <string_view>

#include <dlfcn.h>
#include <gantry/cuda_driver.h>
#include <hsa/hsa.h>

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

/// What an agent says of itself, if it is a GPU, goes into a set.
struct Agents {
  decltype(&hsa_agent_get_info) get_info;
  std::set<std::string> processors;
};

hsa_status_t note_agent(hsa_agent_t agent, void* data) {
  Agents& agents = *static_cast<Agents*>(data);
  hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
  std::array<char, 64> name = {}; // as long as HSA says
  if (agents.get_info(agent, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS &&
      type == HSA_DEVICE_TYPE_GPU &&
      agents.get_info(agent, HSA_AGENT_INFO_NAME, name.data()) == HSA_STATUS_SUCCESS) {
    name.back() = '\0';
    agents.processors.emplace(name.data());
  }
  return HSA_STATUS_SUCCESS;
}

/// Of AMD's GPUs, "gfx90a"; none where there is no HSA runtime or no GPU. Without the processor's
/// settings: what is compiled so runs with any.
std::set<std::string> processors() {
  void* const library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {};
  }
  GANTRY_LOOK_UP(hsa_init)
  GANTRY_LOOK_UP(hsa_shut_down)
  GANTRY_LOOK_UP(hsa_iterate_agents)
  GANTRY_LOOK_UP(hsa_agent_get_info)
  if (call_hsa_init() != HSA_STATUS_SUCCESS) {
    return {};
  }
  Agents agents = {call_hsa_agent_get_info, {}};
  (void)call_hsa_iterate_agents(note_agent, &agents);
  (void)call_hsa_shut_down();
  return agents.processors;
}
#undef GANTRY_LOOK_UP

} // namespace

std::string native_architectures() {
  std::string names;
  for (const int capability : capabilities()) {
    names += fmt::format("{}sm_{}", names.empty() ? "" : ",", capability);
  }
  for (const std::string& processor : processors()) {
    names += fmt::format("{}{}", names.empty() ? "" : ",", processor);
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
