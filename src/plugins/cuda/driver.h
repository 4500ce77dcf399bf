// The CUDA driver: its entry points, and its errors as messages.
//
// The library is opened at the first need. Which one it is, is the one thing that the plugins
// `cuda` and `simt` do not share: driver_library() and what follows it are in library_cuda.cpp and
// in library_simt.cpp.
#pragma once

#include "plugins/gpu/status.h"
#include "plugins/last_error.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <gantry/cuda_driver.h>
#include <gantry/plugin.h>
#include <gantry/simt_driver.h>

namespace gantry::cuda {

/// The entry points that the plugin uses.
#define GANTRY_PLUGIN_ENTRIES(X)                                                                   \
  X(cuInit)                                                                                        \
  X(cuDriverGetVersion)                                                                            \
  X(cuGetErrorName)                                                                                \
  X(cuGetErrorString)                                                                              \
  X(cuDeviceGet)                                                                                   \
  X(cuDeviceGetCount)                                                                              \
  X(cuDeviceGetName)                                                                               \
  X(cuDeviceGetAttribute)                                                                          \
  X(cuDeviceTotalMem_v2)                                                                           \
  X(cuDevicePrimaryCtxRetain)                                                                      \
  X(cuDevicePrimaryCtxRelease_v2)                                                                  \
  X(cuCtxSetCurrent)                                                                               \
  X(cuCtxGetLimit)                                                                                 \
  X(cuCtxSetLimit)                                                                                 \
  X(cuLinkCreate_v2)                                                                               \
  X(cuLinkAddData_v2)                                                                              \
  X(cuLinkComplete)                                                                                \
  X(cuLinkDestroy)                                                                                 \
  X(cuModuleLoadDataEx)                                                                            \
  X(cuModuleUnload)                                                                                \
  X(cuModuleGetFunction)                                                                           \
  X(cuModuleGetGlobal_v2)                                                                          \
  X(cuFuncGetAttribute)                                                                            \
  X(cuFuncSetAttribute)                                                                            \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                   \
  X(cuLaunchKernel)                                                                                \
  X(cuMemAlloc_v2)                                                                                 \
  X(cuMemFree_v2)                                                                                  \
  X(cuMemcpyHtoD_v2)                                                                               \
  X(cuMemcpyDtoH_v2)                                                                               \
  X(cuMemcpyHtoDAsync_v2)                                                                          \
  X(cuMemcpyDtoHAsync_v2)                                                                          \
  X(cuMemHostAlloc)                                                                                \
  X(cuMemFreeHost)                                                                                 \
  X(cuMemcpyPeerAsync)                                                                             \
  X(cuPointerGetAttribute)                                                                         \
  X(cuEventCreate)                                                                                 \
  X(cuEventDestroy_v2)                                                                             \
  X(cuEventRecord)                                                                                 \
  X(cuEventElapsedTime)                                                                            \
  X(cuEventSynchronize)                                                                            \
  X(cuStreamCreate)                                                                                \
  X(cuStreamDestroy_v2)                                                                            \
  X(cuStreamSynchronize)                                                                           \
  X(cuStreamQuery)

struct Driver {
#define GANTRY_POINTER(name) decltype(&::name) name = nullptr;
  GANTRY_PLUGIN_ENTRIES(GANTRY_POINTER)
#undef GANTRY_POINTER
  decltype(&::cuFuncLoad) cuFuncLoad = nullptr; ///< null with a driver older than 12.4
  /// The PTX executor's alone; null with any other driver.
  decltype(&::gantry_simt_set_freed) set_freed = nullptr;
  decltype(&::gantry_simt_allocate_at) allocate_at = nullptr;
  decltype(&::gantry_simt_use_host_memory) use_host_memory = nullptr;
  decltype(&::gantry_simt_get_fault) get_fault = nullptr;
  decltype(&::gantry_simt_usual_block_size) usual_block_size = nullptr;
  std::string problem; ///< why there is none; empty if the pointers are good
};

/// The path or name of the driver's library.
[[nodiscard]] std::string driver_library();

/// Why it would not be that library that is found; empty if it would.
[[nodiscard]] std::string why_not_to_load();

/// What to do where the library cannot be loaded.
[[nodiscard]] std::string_view remedy_for_missing_library();

/// What to do to find the access that a kernel failed with; empty if the driver has said it.
[[nodiscard]] std::string_view remedy_for_faults();

/// Has `handler` called at the end of the process before the driver ends; not at all if that goes
/// on as long as anything is left. The driver has been initialised.
void at_driver_end(void (*handler)());

[[nodiscard]] const Driver& open_driver();
inline constinit std::atomic<const Driver*> opened_driver = nullptr;

/// The driver, opened and initialised by the first caller. Any thread.
[[nodiscard]] inline const Driver& driver() {
  const Driver* const opened = opened_driver.load(std::memory_order_acquire);
  return opened != nullptr ? *opened : open_driver();
}

using gpu::keep_failure;
using plugins::report;
using plugins::set_error;

/// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
[[nodiscard]] std::string text_of(CUresult result);

/// Whether the context that a call was about has failed for good: from then on all calls about it
/// return that.
[[nodiscard]] bool ends_context(CUresult result);

/// The plugin's status for what `call` returned, with its message kept.
std::int32_t refusal(CUresult result, std::string_view call);

/// The same, or GANTRY_SUCCESS.
inline std::int32_t check(CUresult result, std::string_view call) {
  return result == CUDA_SUCCESS ? std::int32_t{GANTRY_SUCCESS} : refusal(result, call);
}

} // namespace gantry::cuda

/// Calls an entry point and returns from the function if it fails.
#define GANTRY_CUDA_TRY(name, ...)                                                                 \
  GANTRY_STATUS_TRY(::gantry::cuda::check(::gantry::cuda::driver().name(__VA_ARGS__), #name))
