#include "plugins/cuda/driver.h"

#include <memory>

#include <dlfcn.h>

namespace gantry::cuda {

namespace {

/// What to do about an error; empty if there is nothing to say.
std::string remedy_for(CUresult result) {
  switch (result) {
  case CUDA_ERROR_NOT_INITIALIZED: // it was, in the process that this one was forked from
    return fmt::format("; {}", plugins::kForked);
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_LAUNCH_FAILED:
    return std::string(remedy_for_faults());
  case CUDA_ERROR_LAUNCH_TIMEOUT:
    return "; a kernel ran longer than the device's watchdog allows, which guards devices that "
           "have "
           "a display: use another device, or make the target region shorter";
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    return "; a team has more threads than its kernel's registers allow: give thread_limit";
  case CUDA_ERROR_NO_DEVICE:
    return "; the driver sees no GPU (CUDA_VISIBLE_DEVICES may hide them)";
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    return "; libcuda.so.1 and the kernel's driver are of different versions";
  default:
    return "";
  }
}

// Never closed: kernels may run while the process ends.
Driver make_driver() {
  Driver driver;
  driver.problem = why_not_to_load();
  if (!driver.problem.empty()) {
    return driver;
  }
  const std::string path = driver_library();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    driver.problem = fmt::format("the driver's library cannot be loaded: {}; {}", dlerror(),
                                 remedy_for_missing_library());
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
  driver.cuFuncLoad = reinterpret_cast<decltype(driver.cuFuncLoad)>(dlsym(library, "cuFuncLoad"));
  driver.set_freed =
      reinterpret_cast<decltype(driver.set_freed)>(dlsym(library, "gantry_simt_set_freed"));
  driver.allocate_at =
      reinterpret_cast<decltype(driver.allocate_at)>(dlsym(library, "gantry_simt_allocate_at"));
  driver.use_host_memory = reinterpret_cast<decltype(driver.use_host_memory)>(
      dlsym(library, "gantry_simt_use_host_memory"));
  driver.get_fault =
      reinterpret_cast<decltype(driver.get_fault)>(dlsym(library, "gantry_simt_get_fault"));
  driver.usual_block_size = reinterpret_cast<decltype(driver.usual_block_size)>(
      dlsym(library, "gantry_simt_usual_block_size"));
  if (const CUresult result = driver.cuInit(0); result != CUDA_SUCCESS) {
    const char* name = nullptr;
    driver.cuGetErrorName(result, &name);
    driver.problem = fmt::format("the driver cannot be used: cuInit: {}{}",
                                 name != nullptr ? name : "?", remedy_for(result));
  }
  return driver;
}

} // namespace

const Driver& open_driver() {
  // Without a lock, which that of a static variable would be: a thread that is inside dlopen may
  // come here while this one waits for the dynamic loader. The first to be done counts.
  auto made = std::make_unique<const Driver>(make_driver());
  const Driver* opened = nullptr;
  if (opened_driver.compare_exchange_strong(opened, made.get(), std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
    opened = made.release();
  }
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

bool ends_context(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    return true;
  default:
    return false;
  }
}

std::int32_t refusal(CUresult result, std::string_view call) {
  const std::int32_t status = result == CUDA_ERROR_OUT_OF_MEMORY ? GANTRY_OUT_OF_MEMORY
                              : ends_context(result)             ? GANTRY_DEVICE_LOST
                                                                 : GANTRY_FAILURE;
  return report(status, "{}: {}{}", call, text_of(result), remedy_for(result));
}

} // namespace gantry::cuda
