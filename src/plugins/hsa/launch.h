// Launching kernels: how many blocks of how many threads, and with what.
#pragma once

#include "plugins/gpu/grid.h"
#include "plugins/hsa/arguments.h"
#include "plugins/hsa/image.h"
#include "plugins/hsa/stream.h"

#include <cstddef>
#include <cstdint>

namespace gantry::hsa {

/// The grid that suits what the construct asks for and leaves open.
[[nodiscard]] gpu::Grid choose_grid(const gantry_kernel& kernel, const gantry_launch& launch);

/// What launches in one stream need of memory, one after the other.
struct LaunchMemory {
  explicit LaunchMemory(Device& device) : arguments(device) {}

  ArgumentMemory arguments;
  /// A gantry_launch_environment and the records of a reduction, in device memory; 0: none yet.
  gpu::DeviceAddress environment = 0;
  std::size_t bytes = 0;

  /// Frees it all; nothing uses it any more.
  std::int32_t release(Device& device);
};

/// Puts a launch into a stream. Does not wait. `memory` is the stream's.
std::int32_t start(gantry_kernel& kernel, const gantry_launch& launch, Stream& stream,
                   LaunchMemory& memory);

} // namespace gantry::hsa
