// The device of a construct whose host runtime is libomp.
#pragma once

#include "runtime/core/runtime/runtime.h"

#include <cstdint>

// libomp's, when it is in the process.
extern "C" {
__attribute__((weak)) int omp_get_default_device();
__attribute__((weak)) int __kmpc_global_num_threads(void* location);
}

namespace gantry::abi::openmp {

/// libomp's default-device-var (OpenMP 5.2, section 2.2).
[[nodiscard]] inline std::int64_t default_device_number() {
  // Asking libomp makes it initialise itself, which takes a millisecond; while it has no threads,
  // nobody can have set another value than the initial one.
  const bool libomp_at_work =
      __kmpc_global_num_threads != nullptr && __kmpc_global_num_threads(nullptr) > 0;
  return libomp_at_work && omp_get_default_device != nullptr ? omp_get_default_device()
                                                             : core::Runtime::kDefaultDevice;
}

/// How Clang writes a construct without a device clause.
inline constexpr std::int64_t kNoDeviceClause = -1;

/// Device `number`, or the default device for -1, ready for use; null for the host. What cannot be
/// satisfied ends the process with a message.
[[nodiscard]] inline core::Device* select_device(std::int64_t number,
                                                 const core::Construct& construct) {
  return core::Runtime::instance().select(
      number == kNoDeviceClause ? default_device_number() : number, construct);
}

} // namespace gantry::abi::openmp
