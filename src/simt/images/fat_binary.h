// Fat binaries: several images of one program in a container, as nvcc and Clang embed them.
//
//   wrapper    u32 magic 0x466243B1, u32 version, u64 address of the container, u64 unused
//
//   container  u32 magic 0xBA55ED50, u16 version, u16 bytes of this header, u64 bytes behind it
//
//   entry      u16 kind (1 PTX, 2 machine code), u16, u32 bytes of this header, u64 bytes behind
//              it, u32 compressed bytes, u32, u16 minor, u16 major, u32 capability (80 for 8.0),
//              u32 offset of a name, u32 its length, u64 flags, u64, u64 bytes when uncompressed
//
// An entry is compressed if bit 13 (LZ4) or 15 (Zstandard) of its flags is set (compressed.h).
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gantry/cuda_fat_binary.h>
#include <tl/expected.hpp>

namespace gantry::simt::images {

inline constexpr std::uint32_t kFatWrapperMagic = 0x466243B1;

/// The bytes of the container that begins at `image`, as it says itself; `image` is that of a
/// container or of a wrapper.
[[nodiscard]] std::optional<Bytes> fat_container(const void* image);

/// The PTX text of the newest capability that is not above `capability`; if there is no PTX, the
/// texts of an ELF file that stands for a cubin (ptx_elf.h). The error says what there is instead.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string_view>
texts_of_fat_binary(Bytes container, unsigned capability);

} // namespace gantry::simt::images
