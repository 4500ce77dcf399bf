// A kernel of PTX on a CUDA driver, NVIDIA's for one, where tests otherwise run it in the executor.
#pragma once

#include "simt/exec/programs/launch_shape.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gantry::simt::instructions {

/// Host memory that the kernel has a copy of, which comes back when it has ended.
struct Copied {
  std::span<std::byte> bytes;
  std::uint64_t* parameter = nullptr; ///< where its address belongs
  std::uint64_t offset = 0;           ///< what to add to that
};

struct DriverRun {
  enum class End : std::uint8_t {
    kDone,
    kRefused, ///< the PTX, for this device
    kFailed,  ///< the launch: the process can launch nothing more
  };
  End end = End::kDone;
  std::string why; ///< it was refused or has failed
};

/// Runs the kernel `k` of a module on the first device of the library at `path`, which is loaded at
/// the first call. A target of the module that is above the device's becomes the device's.
/// `parameters` has where each is. `variable`, of the module, is copied to `contents`, if it has
/// any.
[[nodiscard]] DriverRun run_on_driver(const std::string& path, std::string text,
                                      const exec::LaunchShape& shape, std::vector<void*> parameters,
                                      const std::vector<Copied>& memory,
                                      const char* variable = nullptr,
                                      std::span<std::byte> contents = {});

} // namespace gantry::simt::instructions
