// What Clang 22 and 19, the host's plugin and this runtime agree on; byte by byte in
// docs/nvidia.md.
#pragma once

namespace gantry::device {

using int8_t = __INT8_TYPE__;
using int16_t = __INT16_TYPE__;
using int32_t = __INT32_TYPE__;
using int64_t = __INT64_TYPE__;
using uint8_t = __UINT8_TYPE__;
using uint16_t = __UINT16_TYPE__;
using uint32_t = __UINT32_TYPE__;
using uint64_t = __UINT64_TYPE__;
using uintptr_t = __UINTPTR_TYPE__;
using size_t = __SIZE_TYPE__;

/// Where in the source a call comes from.
struct Ident {
  int32_t reserved;
  int32_t flags;
  int32_t reserved_too;
  int32_t size;
  const char* text; ///< ";file;function;line;column;;"
};

/// Bits of KernelEnvironment::mode.
inline constexpr uint8_t kGenericBit = 1;
inline constexpr uint8_t kSpmdBit = 2;

/// One for each kernel, a constant of its image.
struct KernelEnvironment {
  uint8_t uses_state_machine; ///< workers run this runtime's; else the optimiser has made one
  uint8_t may_nest;
  uint8_t mode; ///< 1 generic, 2 SPMD, 3 generic made SPMD by the optimiser
  int32_t min_threads, max_threads;
  int32_t min_teams, max_teams;
  int32_t reduction_bytes; ///< of one record of the buffer for reductions over teams
  int32_t reduction_records;
  Ident* ident;
  void* dynamic;
};

/// One for each launch, in device memory, or null or all ones.
struct LaunchEnvironment {
  uint32_t arrived; ///< teams that have left their part of a reduction; both zero at the launch
  uint32_t rounds;
  void* reduction_buffer;
};

/// One for each image: written by the plugin when it loads the image.
struct DeviceEnvironment {
  uint32_t debug_kind;
  uint32_t device_count;
  uint32_t device_number; ///< as omp_get_device_num() says it
  uint32_t dynamic_memory;
  uint64_t clock_frequency;
  uint64_t functions;      ///< table of functions called by pointer (indirect.cpp)
  uint64_t function_count; ///< elements of it
  uint64_t parallelism;
};

static_assert(sizeof(KernelEnvironment) == 48 && sizeof(LaunchEnvironment) == 16 &&
              sizeof(DeviceEnvironment) == 48);

/// The body of a parallel region, taken out of its function: thread number, zero, shared variables.
using OutlinedFunction = void (*)(int32_t* thread, int32_t* bound, ...);
/// What a worker calls: it fetches the shared variables itself.
using WorkFunction = void (*)(int16_t, int32_t thread);

} // namespace gantry::device
