// Offload binaries: the container 10 FF 10 AD in which Clang carries device code.
//
// One container holds one or more images, each with a kind, the programming model it belongs to and
// a map of strings ("triple", "arch", …). Containers are concatenated, each at the next multiple of
// 8 bytes. docs/offload-binary.md has the layout byte by byte.
//
// Everything here is a pure function of its arguments and safe to call from any thread. Nothing is
// read outside the bytes given, whatever they hold.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::format {

using gantry::Bytes;

enum class ImageKind : std::uint16_t {
  kNone = 0,
  kObject = 1,
  kBitcode = 2,
  kCubin = 3,
  kFatbinary = 4,
  kPtx = 5,
  kSpirv = 6,
};

/// Programming models; a bit each, as in offload entries.
enum class OffloadKind : std::uint16_t {
  kNone = 0,
  kOpenMp = 1,
  kCuda = 2,
  kHip = 4,
  kSycl = 8,
};

/// One image of a container. The strings and the contents point into the bytes it was read from,
/// which must outlive it.
struct OffloadImage {
  ImageKind image_kind = ImageKind::kNone;
  OffloadKind offload_kind = OffloadKind::kNone;
  std::uint32_t flags = 0;
  std::vector<std::pair<std::string_view, std::string_view>> strings;
  Bytes contents;

  /// The value of `key`, or an empty string.
  [[nodiscard]] std::string_view string(std::string_view key) const;
  [[nodiscard]] std::string_view triple() const { return string("triple"); }
  [[nodiscard]] std::string_view arch() const { return string("arch"); }
};

/// True if `bytes` starts with the container's magic number.
[[nodiscard]] bool is_offload_binary(Bytes bytes);

/// Reads every image of every container in `bytes`, versions 1 and 2. `bytes` may be any buffer at
/// any alignment; zero bytes that pad it to a multiple of 8 are accepted.
[[nodiscard]] Result<std::vector<OffloadImage>> read_offload_binaries(Bytes bytes);

/// The container format that a writer produces. Version 1, which all of Clang 15 to 22 read, holds
/// one image each, so several images become several concatenated containers.
enum class ContainerVersion : std::uint32_t { kV1 = 1, kV2 = 2 };

/// Writes `images` as containers of `version`, in order; the size is a multiple of 8.
[[nodiscard]] Result<std::vector<std::byte>>
write_offload_binaries(std::span<const OffloadImage> images,
                       ContainerVersion version = ContainerVersion::kV1);

} // namespace gantry::format
