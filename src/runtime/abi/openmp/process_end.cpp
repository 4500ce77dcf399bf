#include "runtime/abi/openmp/process_end.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>

// Of the OpenMP runtime in the process, libomp or libgomp, if there is any.
extern "C" {
__attribute__((weak)) std::int32_t __kmpc_global_num_threads(const void* location);
__attribute__((weak)) std::int32_t __kmpc_global_thread_num(const void* location);
__attribute__((weak)) std::int32_t __kmpc_omp_taskwait(const void* location, std::int32_t thread);
__attribute__((weak)) int omp_in_parallel();
}

namespace gantry::abi::openmp {

namespace {

std::atomic<bool> stay{false};

/// Exit handlers run before destructors of libraries, which unregister programs; libomp waits in
/// its own for what its helper threads still have to do.
void end() {
  const bool libomp_is_here = __kmpc_global_num_threads != nullptr &&
                              __kmpc_global_thread_num != nullptr && __kmpc_omp_taskwait != nullptr;
  // Whatever else it is asked makes it initialise itself.
  if (libomp_is_here && __kmpc_global_num_threads(nullptr) == 0) {
    return;
  }
  if (omp_in_parallel != nullptr && omp_in_parallel() != 0) {
    stay.store(true);
  } else if (libomp_is_here) {
    const std::int32_t thread = __kmpc_global_thread_num(nullptr);
    if (thread == 0) {
      __kmpc_omp_taskwait(nullptr, thread);
    } else {
      stay.store(true);
    }
  }
}

} // namespace

void prepare_for_exit() {
  // If there is no memory for it, exit() is as it was.
  [[maybe_unused]] static const int registered = std::atexit(end);
}

bool images_stay() {
  return stay.load();
}

} // namespace gantry::abi::openmp
