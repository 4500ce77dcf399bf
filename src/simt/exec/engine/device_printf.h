// vprintf of device code, and the buffer that its output waits in.
//
// The arguments are a packed buffer in device memory, each at the next multiple of its own size: 4
// bytes for int and what is promoted to it, 8 for long, pointers and double. The conversions are
// those of base/printf_format.h.
//
// All functions may be called from any thread.
#pragma once

#include "simt/exec/blocks/lane_memory.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gantry::simt::exec {

/// Memory that the lane was to read but may not access.
struct Unreadable {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
};

/// The lane's string at `address`, up to its NUL or `limit` bytes.
[[nodiscard]] tl::expected<std::string, Unreadable>
read_device_string(const LaneMemory& memory, std::uint64_t address,
                   std::size_t limit = std::numeric_limits<std::size_t>::max());

/// Appends what vprintf(format, arguments) prints, both generic addresses, to `text`. The number of
/// arguments taken, or -1 if `format` is null.
[[nodiscard]] tl::expected<std::int32_t, Unreadable> format_device_text(std::string& text,
                                                                        const LaneMemory& memory,
                                                                        std::uint64_t format,
                                                                        std::uint64_t arguments);

/// Puts text, undivided, behind what kernels have printed so far; a full buffer writes itself.
void print_from_device(std::string_view text);
/// Writes what kernels have printed so far to standard output; at the end of each launch.
void flush_device_output();

} // namespace gantry::simt::exec
