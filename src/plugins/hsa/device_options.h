// The options of a device, which follow its name in GANTRY_DEVICES, as in hsa+stack=64K.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gantry::hsa {

struct DeviceOptions {
  /// Bytes that malloc in code of GCC's has; in that of others the heap is a part of the image.
  std::optional<std::size_t> heap = 100 << 20;
  /// Bytes of each thread's stack, in kernels whose calls are not all known to the compiler.
  std::optional<std::size_t> stack = 16 << 10;
};

/// Reads options separated by '+'; the error names the one that is not understood.
[[nodiscard]] tl::expected<DeviceOptions, std::string> read_device_options(std::string_view text);

} // namespace gantry::hsa
