// What Clang 22 and 19, the host's plugin and this runtime agree on; byte by byte in
// docs/nvidia.md.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <gantry/gpu_image.h>

namespace gantry::device {

/// Where in the source a call comes from.
struct Ident {
  int32_t reserved;
  int32_t flags;
  int32_t reserved_too;
  int32_t size;
  const char* text; ///< ";file;function;line;column;;"
};

using KernelEnvironment = gantry_kernel_environment;
using LaunchEnvironment = gantry_launch_environment;
using DeviceEnvironment = gantry_device_environment;

/// The body of a parallel region, taken out of its function: thread number, zero, shared variables.
using OutlinedFunction = void (*)(int32_t* thread, int32_t* bound, ...);
/// What a worker calls: it fetches the shared variables itself.
using WorkFunction = void (*)(int16_t, int32_t thread);

} // namespace gantry::device

/// An entry point whose answer is always the same.
#define GANTRY_ANSWER(type, name, parameters, answer)                                              \
  type name parameters {                                                                           \
    return answer;                                                                                 \
  }

/// For functions of which a program may have its own.
#define GANTRY_WEAK [[gnu::weak]]
