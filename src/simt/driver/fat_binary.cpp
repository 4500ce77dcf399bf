#include "simt/driver/fat_binary.h"

#include <cstring>

namespace gantry::simt::driver {

namespace {

using ContainerHeader = gantry_fat_binary;
using EntryHeader = gantry_fat_binary_entry;
static_assert(sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 48);

/// More than any program has; a size above it is a damaged header.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;

} // namespace

std::optional<Bytes> fat_container(const void* image) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof(magic));
  if (magic == kFatWrapperMagic) {
    std::memcpy(&image, static_cast<const std::byte*>(image) + 8, sizeof(image));
    if (image == nullptr) {
      return std::nullopt;
    }
  }
  ContainerHeader header;
  std::memcpy(&header, image, sizeof(header));
  if (header.magic != GANTRY_FAT_BINARY_MAGIC || header.header_bytes < sizeof(header) ||
      header.bytes > kLargest) {
    return std::nullopt;
  }
  return Bytes(static_cast<const std::byte*>(image), header.header_bytes + header.bytes);
}

tl::expected<std::string_view, std::string_view> ptx_of_fat_binary(Bytes container,
                                                                   unsigned capability) {
  const auto container_header = load<ContainerHeader>(container, 0);
  if (!container_header) {
    return tl::unexpected(std::string_view("the fat binary is damaged"));
  }
  std::optional<std::string_view> best;
  unsigned best_capability = 0;
  bool has_compressed = false;
  bool has_newer = false;
  std::uint64_t offset = container_header->header_bytes;
  while (offset < container.size()) {
    const auto header = load<EntryHeader>(container, offset);
    if (!header || header->header_bytes < sizeof(EntryHeader)) {
      return tl::unexpected(std::string_view("the fat binary is damaged"));
    }
    const auto content = slice(container, offset + header->header_bytes, header->bytes);
    if (!content) {
      return tl::unexpected(std::string_view("the fat binary is damaged"));
    }
    offset += header->header_bytes + header->bytes;
    if (header->kind != GANTRY_FAT_BINARY_PTX) {
      continue;
    }
    if ((header->flags & GANTRY_FAT_BINARY_COMPRESSED) != 0) {
      has_compressed = true;
    } else if (header->capability > capability) {
      has_newer = true;
    } else if (!best || header->capability > best_capability) {
      best = as_text(*content);
      best_capability = header->capability;
    }
  }
  if (best) {
    return *best;
  }
  return tl::unexpected(std::string_view(
      has_compressed ? "its PTX is compressed (nvcc --compress-mode=none leaves it readable)"
      : has_newer    ? "its PTX is for a newer compute capability than the device's"
                     : "it holds machine code only, and no PTX that could be executed"));
}

} // namespace gantry::simt::driver
