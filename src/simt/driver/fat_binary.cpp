#include "simt/driver/fat_binary.h"

#include <cstring>

namespace gantry::simt::driver {

namespace {

struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;
};
static_assert(sizeof(ContainerHeader) == 16);

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t unused;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint32_t compressed_bytes;
  std::uint32_t unused_too;
  std::uint16_t minor;
  std::uint16_t major;
  std::uint32_t capability;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint64_t flags;
};
static_assert(sizeof(EntryHeader) == 48);

constexpr std::uint16_t kPtx = 1;
constexpr std::uint64_t kCompressed = 1U << 13 | 1U << 15;
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
  if (header.magic != kFatMagic || header.header_bytes < sizeof(header) ||
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
    if (header->kind != kPtx) {
      continue;
    }
    if ((header->flags & kCompressed) != 0) {
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
