// Contents of fat binaries that nvcc has compressed: LZ4 blocks (nvcc 12, --compress-mode=speed)
// and Zstandard frames (nvcc 13).
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gantry::simt::images {

enum class Compression : std::uint8_t { kLz4, kZstd };

/// The `size` bytes that the content stands for. The error says what is wrong.
[[nodiscard]] tl::expected<std::string, std::string_view>
decompress(Bytes content, std::uint64_t size, Compression compression);

} // namespace gantry::simt::images
