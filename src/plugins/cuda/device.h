// A device of the driver, as the runtime opens it.
#pragma once

#include "plugins/cuda/device_options.h"
#include "plugins/cuda/driver.h"
#include "plugins/cuda/sources.h"
#include "plugins/gpu/function_tables.h"
#include "plugins/gpu/memory_pool.h"
#include "plugins/gpu/queues_of_thread.h"
#include "plugins/gpu/staging.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// The opaque device of gantry/plugin.h. What is not said to be locked is immutable while the
/// device is open.
struct gantry_device {
  CUdevice ordinal = 0;
  std::int32_t openmp_number = -1;
  CUcontext context = nullptr; ///< the primary one, which libraries of CUDA share
  int capability = 0;          ///< 90 is 9.0
  bool integrated = false;     ///< its memory is the host's
  /// Kernels can use any memory of the program; becomes true if the executor is told to allow it.
  std::atomic<bool> host_accessible = false;
  int multiprocessors = 1;
  int multiprocessor_threads = 0;    ///< that one has at once, at most
  std::uint32_t usual_threads = 128; ///< of a team, where the program does not say
  int max_grid_size = 0;
  int clock_kilohertz = 1;
  std::size_t total_memory = 0;
  std::string description;
  gantry::cuda::DeviceOptions options;
  gantry::gpu::MemoryPool memory{gantry::cuda::driver_memory()};    ///< any thread
  gantry::gpu::PinnedBuffers pinned{gantry::cuda::driver_memory()}; ///< any thread
  /// Not null while the device is open. Shared with the threads, which may end later than it.
  std::shared_ptr<gantry::gpu::ThreadQueues> thread_queues;

  std::mutex mutex;                        ///< for all below
  gantry::gpu::FunctionTables functions;   ///< called by pointer
  std::vector<CUstream> streams;           ///< of the queues that there are
  std::vector<const gantry_image*> images; ///< loaded
};

namespace gantry::cuda {

using Device = ::gantry_device;

/// Makes the device's context the calling thread's; GANTRY_SUCCESS or an error, kept.
std::int32_t enter(const Device& device);

/// Writes to memory of the device whose context is current; kernels that are launched from then on
/// see it, in whatever stream.
std::int32_t write(CUdeviceptr to, const void* from, std::size_t size);

/// What the driver answers to a call about a stream of the device. The stream says what context is
/// meant, so most calls are right whatever context is current. A driver that minds refuses the
/// call, or answers with the failure of the current context; the call is then made again in the
/// device's.
template <typename Call>
CUresult in_context(const Device& device, Call&& call) {
  const CUresult result = call();
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) [[likely]] {
    return result;
  }
  if (result != CUDA_ERROR_INVALID_CONTEXT && result != CUDA_ERROR_CONTEXT_IS_DESTROYED &&
      result != CUDA_ERROR_INVALID_HANDLE && !ends_context(result)) {
    return result;
  }
  return enter(device) == GANTRY_SUCCESS ? call() : result;
}

/// The plugin's status of such a call, whose entry point is `name`.
template <typename Call>
std::int32_t check_in_context(const Device& device, std::string_view name, Call&& call) {
  return check(in_context(device, call), name);
}

} // namespace gantry::cuda
