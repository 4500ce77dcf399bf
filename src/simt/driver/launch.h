// Launches: the checks that the driver makes, and the parameters' way into the kernel.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/exec/run/loaded_program.h"

#include <cstdint>
#include <memory>

namespace gantry::simt::driver {

class Function;
class Stream;

/// `parameters` and `extra` as cuLaunchKernel has them; both are read before the call returns.
struct LaunchRequest {
  std::shared_ptr<Function> function;
  exec::LaunchShape shape;
  void** parameters = nullptr;
  void** extra = nullptr;
};

[[nodiscard]] CUresult launch_in(Stream& stream, LaunchRequest request);

/// Blocks of the kernel that one multiprocessor can hold at once.
[[nodiscard]] unsigned blocks_of_multiprocessor(const Function& function, unsigned threads,
                                                std::size_t dynamic_shared);

} // namespace gantry::simt::driver
