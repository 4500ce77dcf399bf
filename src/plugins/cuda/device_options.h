// The options of a device, which follow its name in GANTRY_DEVICES, as in
// cuda+registers=64+heap=1G.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gantry/cuda_driver.h>
#include <tl/expected.hpp>

namespace gantry::cuda {

struct DeviceOptions {
  /// How the driver compiles PTX; not set: as it does by itself.
  std::optional<std::size_t> optimization; ///< O0 … O4
  std::optional<std::size_t> registers; ///< of a thread at most; more of what it needs is spilled
  bool line_info = false;               ///< source lines for profilers
  bool debug_info = false;              ///< for debuggers; code is not optimised
  /// Limits of the context, in bytes.
  std::optional<std::size_t> heap =
      64 << 20; ///< of malloc in device code: globalised variables come from there
  std::optional<std::size_t> stack; ///< of each thread

  /// What the driver is told when it loads a module. Numbers are passed as pointers.
  struct Jit {
    std::vector<CUjit_option> options;
    std::vector<void*> values;
    void add(CUjit_option option, std::size_t value);
  };
  /// `log` is for what it says about errors.
  [[nodiscard]] Jit jit(std::span<char> log) const;
};

/// Reads options separated by '+'; the error names the one that is not understood.
[[nodiscard]] tl::expected<DeviceOptions, std::string> read_device_options(std::string_view text);

} // namespace gantry::cuda
