// The words by which users and Clang's tools call the kinds of images and programming models.
#pragma once

#include "format/offload_binary.h"

#include <optional>
#include <string_view>

namespace gantry::format {

/// "openmp", "cuda", "hip", "sycl"; "none" for 0 and "unknown" for anything else.
[[nodiscard]] std::string_view to_string(OffloadKind kind);

/// The reverse; nothing if there is no such kind. The empty string is `none`, as for LLVM's tools.
[[nodiscard]] std::optional<OffloadKind> parse_offload_kind(std::string_view name);

/// "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv"; "none" and "unknown" likewise.
[[nodiscard]] std::string_view to_string(ImageKind kind);

/// The file name extension, without the dot, that goes with a kind: "o", "bc", "cubin", "fatbin",
/// "s", "spv"; empty for the others.
[[nodiscard]] std::string_view extension(ImageKind kind);

/// The kind that goes with a file name extension, given with or without the dot; kNone if none
/// does.
[[nodiscard]] ImageKind image_kind_of_extension(std::string_view extension);

} // namespace gantry::format
