#include "simt/images/fat_binary.h"

#include "simt/images/compressed.h"
#include "simt/images/ptx_elf.h"

#include <cstring>

namespace gantry::simt::images {

namespace {

using ContainerHeader = gantry_fat_binary;
using EntryHeader = gantry_fat_binary_entry;
static_assert(sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 48);

/// More than any program has; a size above it is a damaged header.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;

struct Entry {
  EntryHeader header;
  std::uint64_t offset; ///< of the header
  Bytes content;
};

tl::expected<std::string, std::string_view> content_of(Bytes container, const Entry& entry) {
  const bool lz4 = (entry.header.flags & GANTRY_FAT_BINARY_LZ4) != 0;
  const bool zstd = (entry.header.flags & GANTRY_FAT_BINARY_ZSTD) != 0;
  if (!lz4 && !zstd) {
    return std::string(as_text(entry.content));
  }
  // Behind what all headers have.
  const auto size = load<std::uint64_t>(container, entry.offset + GANTRY_FAT_BINARY_ORIGINAL_BYTES);
  const auto content = slice(entry.content, 0, entry.header.compressed_bytes);
  if ((lz4 && zstd) || !size || !content ||
      entry.header.header_bytes < GANTRY_FAT_BINARY_ORIGINAL_BYTES + sizeof(*size)) {
    return tl::unexpected(std::string_view("the fat binary is damaged"));
  }
  return decompress(*content, *size, lz4 ? Compression::kLz4 : Compression::kZstd);
}

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

tl::expected<std::vector<std::string>, std::string_view> texts_of_fat_binary(Bytes container,
                                                                             unsigned capability) {
  const auto damaged = tl::unexpected(std::string_view("the fat binary is damaged"));
  const auto container_header = load<ContainerHeader>(container, 0);
  if (!container_header) {
    return damaged;
  }
  std::optional<Entry> best;
  std::vector<Entry> machine_code;
  bool has_newer = false;
  std::uint64_t offset = container_header->header_bytes;
  while (offset < container.size()) {
    const auto header = load<EntryHeader>(container, offset);
    if (!header || header->header_bytes < sizeof(EntryHeader)) {
      return damaged;
    }
    const auto content = slice(container, offset + header->header_bytes, header->bytes);
    if (!content) {
      return damaged;
    }
    const Entry entry{*header, offset, *content};
    offset += header->header_bytes + header->bytes;
    if (header->kind == GANTRY_FAT_BINARY_ELF) {
      machine_code.push_back(entry);
    } else if (header->kind == GANTRY_FAT_BINARY_PTX) {
      if (header->capability > capability) {
        has_newer = true;
      } else if (!best || header->capability > best->header.capability) {
        best = entry;
      }
    }
  }
  if (best) {
    auto text = content_of(container, *best);
    return text ? tl::expected<std::vector<std::string>, std::string_view>(
                      std::vector{*std::move(text)})
                : tl::unexpected(text.error());
  }
  for (const Entry& entry : machine_code) {
    if (entry.header.capability > capability) {
      continue;
    }
    const auto content = content_of(container, entry);
    const auto texts = content ? texts_of_ptx_elf(as_bytes(*content)) : std::nullopt;
    if (texts) {
      return std::vector<std::string>(texts->begin(), texts->end());
    }
  }
  return tl::unexpected(
      std::string_view(has_newer ? "its PTX is for a newer compute capability than the device's"
                                 : "it holds machine code only, and no PTX that could be "
                                   "executed"));
}

} // namespace gantry::simt::images
