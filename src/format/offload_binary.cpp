// The container, as docs/offload-binary.md gives it:
//
//     header (32 bytes) | entries (40 bytes each) | string maps | strings | image | image …
//
// All offsets count from the header. Version 1 has one entry and says how large it is where version
// 2 says how many there are; version 2's string map also gives the length of each value, which may
// then hold zero bytes.

#include "format/offload_binary.h"

#include <algorithm>
#include <array>

namespace gantry::format {
namespace {

constexpr std::array<unsigned char, 4> kMagic = {0x10, 0xFF, 0x10, 0xAD};
constexpr std::uint64_t kAlignment = 8;

struct Header {
  std::array<unsigned char, 4> magic = kMagic;
  std::uint32_t version = 0;
  std::uint64_t size = 0;
  std::uint64_t entries_offset = 0;
  std::uint64_t entry_size_or_count = 0; // version 1: size of the entry; version 2: their number
};
static_assert(sizeof(Header) == 32);

struct Entry {
  std::uint16_t image_kind = 0;
  std::uint16_t offload_kind = 0;
  std::uint32_t flags = 0;
  std::uint64_t strings_offset = 0;
  std::uint64_t string_count = 0;
  std::uint64_t image_offset = 0;
  std::uint64_t image_size = 0;
};
static_assert(sizeof(Entry) == 40);

struct StringV1 {
  std::uint64_t key_offset = 0;
  std::uint64_t value_offset = 0;
};

struct StringV2 {
  std::uint64_t key_offset = 0;
  std::uint64_t value_offset = 0;
  std::uint64_t value_size = 0;
};

constexpr std::uint64_t string_record_size(std::uint32_t version) {
  return version == 1 ? sizeof(StringV1) : sizeof(StringV2);
}

constexpr std::uint64_t align_up(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

/// A part of a container that no other part may share bytes with.
struct Claim {
  std::uint64_t offset;
  std::uint64_t size;
  std::string_view what;
};

/// Reads one container, whose bytes begin with a header already seen to fit.
class ContainerReader {
public:
  ContainerReader(Bytes container, const Header& header) : container_(container), header_(header) {}

  Status read(std::vector<OffloadImage>& images) {
    const bool v1 = header_.version == 1;
    if (v1 && header_.entry_size_or_count != sizeof(Entry)) {
      return fail("the entry of a version 1 container has {} bytes, expected {}",
                  header_.entry_size_or_count, sizeof(Entry));
    }
    const std::uint64_t count = v1 ? 1 : header_.entry_size_or_count;
    GANTRY_TRY(claim(0, sizeof(Header), 1, "header"));
    GANTRY_TRY(claim(header_.entries_offset, sizeof(Entry), count, "entries"));
    // Reads no part before it is known that no two share bytes, because many entries with one large
    // string map would take quadratic time.
    std::vector<Entry> entries;
    for (std::uint64_t index = 0; index < count; ++index) {
      entries.push_back(
          load<Entry>(container_, header_.entries_offset + index * sizeof(Entry)).value());
      GANTRY_TRY_CONTEXT(claim_parts(entries.back()), fmt::format("entry {}", index));
    }
    GANTRY_TRY(check_claims_are_disjoint());
    for (std::uint64_t index = 0; index < count; ++index) {
      images.push_back(
          GANTRY_TRY_CONTEXT(read_image(entries[index]), fmt::format("entry {}", index)));
    }
    return {};
  }

private:
  Status claim_parts(const Entry& entry) {
    GANTRY_TRY(claim(entry.strings_offset, string_record_size(header_.version), entry.string_count,
                     "string map"));
    return claim(entry.image_offset, entry.image_size, 1, "image");
  }

  /// The image of an entry whose parts are claimed.
  Result<OffloadImage> read_image(const Entry& entry) const {
    OffloadImage image;
    image.image_kind = static_cast<ImageKind>(entry.image_kind);
    image.offload_kind = static_cast<OffloadKind>(entry.offload_kind);
    image.flags = entry.flags;
    const std::uint64_t record_size = string_record_size(header_.version);
    image.strings.reserve(entry.string_count);
    for (std::uint64_t index = 0; index < entry.string_count; ++index) {
      auto string = GANTRY_TRY_CONTEXT(read_string(entry.strings_offset + index * record_size),
                                       fmt::format("string {}", index));
      image.strings.push_back(string);
    }
    image.contents = container_.subspan(entry.image_offset, entry.image_size);
    return image;
  }

  /// The pair whose record, seen to fit, lies at `offset`.
  Result<std::pair<std::string_view, std::string_view>> read_string(std::uint64_t offset) const {
    const auto record = load<StringV1>(container_, offset).value();
    const auto key = c_string(container_, record.key_offset);
    if (!key) {
      return fail("the key at offset {} does not end inside the container's {} bytes",
                  record.key_offset, container_.size());
    }
    if (header_.version == 1) {
      const auto value = c_string(container_, record.value_offset);
      if (!value) {
        return fail("the value of '{}' at offset {} does not end inside the container's {} bytes",
                    *key, record.value_offset, container_.size());
      }
      return std::pair(*key, *value);
    }
    const auto sized = load<StringV2>(container_, offset).value();
    const auto value = slice(container_, sized.value_offset, sized.value_size);
    if (!value) {
      return fail(
          "the value of '{}', {} bytes at offset {}, is not inside the container's {} bytes", *key,
          sized.value_size, sized.value_offset, container_.size());
    }
    return std::pair(*key, as_text(*value));
  }

  /// Notes that `count` records of `size` bytes lie at `offset`, which must be in the container.
  Status claim(std::uint64_t offset, std::uint64_t size, std::uint64_t count,
               std::string_view what) {
    if (offset > container_.size() || (size != 0 && count > (container_.size() - offset) / size)) {
      return fail("the {} at offset {}, {} times {} bytes, is not inside the container's {} bytes",
                  what, offset, count, size, container_.size());
    }
    if (size * count != 0) {
      claims_.push_back({offset, size * count, what});
    }
    return {};
  }

  Status check_claims_are_disjoint() {
    std::ranges::sort(claims_, {}, &Claim::offset);
    for (std::size_t index = 1; index < claims_.size(); ++index) {
      const Claim& before = claims_[index - 1];
      const Claim& after = claims_[index];
      if (after.offset - before.offset < before.size) {
        return fail("the {} at offset {} overlaps the {} at offset {}", after.what, after.offset,
                    before.what, before.offset);
      }
    }
    return {};
  }

  Bytes container_;
  Header header_;
  std::vector<Claim> claims_;
};

/// The header at the start of `bytes`, whose size is known to lie inside them.
Result<Header> read_header(Bytes bytes) {
  const auto header = load<Header>(bytes, 0);
  if (!is_offload_binary(bytes)) {
    return fail("the magic number 10 FF 10 AD of an offload binary is missing");
  }
  if (!header) {
    return fail("the header has {} bytes, expected {}; the file is truncated", bytes.size(),
                sizeof(Header));
  }
  if (header->version != 1 && header->version != 2) {
    return fail("the container has version {}, expected 1 or 2", header->version);
  }
  if (header->size < sizeof(Header)) {
    return fail("the container's size is {} bytes, expected at least the header's {}", header->size,
                sizeof(Header));
  }
  if (header->size > bytes.size()) {
    return fail("the container's size is {} bytes, but only {} are left; the file is truncated",
                header->size, bytes.size());
  }
  return *header;
}

/// The containers of one write, in the buffer that the caller gets.
class ContainerWriter {
public:
  std::vector<std::byte> take() { return std::move(bytes_); }

  Status write(std::span<const OffloadImage> images, std::uint32_t version) {
    GANTRY_TRY(check_strings(images, version));
    start_ = bytes_.size();
    std::vector<Entry> entries(images.size());
    const std::uint64_t record_size = string_record_size(version);

    std::uint64_t next = sizeof(Header) + images.size() * sizeof(Entry);
    for (std::size_t index = 0; index < images.size(); ++index) {
      const OffloadImage& image = images[index];
      Entry& entry = entries[index];
      entry.image_kind = static_cast<std::uint16_t>(image.image_kind);
      entry.offload_kind = static_cast<std::uint16_t>(image.offload_kind);
      entry.flags = image.flags;
      entry.strings_offset = next;
      entry.string_count = image.strings.size();
      next += image.strings.size() * record_size;
    }

    // The records are complete before the first string is written, so the strings' places follow
    // from their lengths alone.
    std::vector<StringV2> records;
    std::vector<std::string_view> texts;
    const auto place = [&](std::string_view text) {
      texts.push_back(text);
      const std::uint64_t offset = next;
      next += text.size() + 1;
      return offset;
    };
    for (const OffloadImage& image : images) {
      for (const auto& [key, value] : image.strings) {
        const std::uint64_t key_offset = place(key);
        records.push_back({key_offset, place(value), value.size()});
      }
    }
    for (std::size_t index = 0; index < images.size(); ++index) {
      next = align_up(next);
      entries[index].image_offset = next;
      entries[index].image_size = images[index].contents.size();
      next += images[index].contents.size();
    }

    Header header;
    header.version = version;
    header.size = align_up(next);
    header.entries_offset = sizeof(Header);
    header.entry_size_or_count = version == 1 ? sizeof(Entry) : images.size();
    bytes_.reserve(start_ + header.size);
    append(&header, sizeof(header));
    append(entries.data(), entries.size() * sizeof(Entry));
    for (const StringV2& record : records) {
      append(&record, record_size); // a version 1 record is the beginning of a version 2 one
    }
    for (const std::string_view text : texts) {
      append(text.data(), text.size());
      bytes_.push_back(std::byte{0});
    }
    for (const OffloadImage& image : images) {
      pad();
      append(image.contents.data(), image.contents.size());
    }
    pad();
    return {};
  }

private:
  static Status check_strings(std::span<const OffloadImage> images, std::uint32_t version) {
    for (const OffloadImage& image : images) {
      for (const auto& [key, value] : image.strings) {
        if (key.find('\0') != std::string_view::npos) {
          return fail("the key '{}' holds a zero byte, which ends a key in the format", key);
        }
        if (version == 1 && value.find('\0') != std::string_view::npos) {
          return fail("the value of '{}' holds a zero byte, which ends a value in version 1 of the "
                      "format; write version 2",
                      key);
        }
      }
    }
    return {};
  }

  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  void pad() { bytes_.resize(start_ + align_up(bytes_.size() - start_)); }

  std::vector<std::byte> bytes_;
  std::uint64_t start_ = 0;
};

} // namespace

std::string_view OffloadImage::string(std::string_view key) const {
  const auto found = std::ranges::find(strings, key, &decltype(strings)::value_type::first);
  return found == strings.end() ? std::string_view() : found->second;
}

bool is_offload_binary(Bytes bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<std::vector<OffloadImage>> read_offload_binaries(Bytes bytes) {
  std::vector<OffloadImage> images;
  std::uint64_t offset = 0;
  while (offset < bytes.size()) {
    const Bytes rest = bytes.subspan(offset);
    if (rest.size() < kAlignment &&
        std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{0}; })) {
      break; // padding after the last container
    }
    const auto read = [&]() -> Result<std::uint64_t> {
      auto header = GANTRY_TRY(read_header(rest));
      GANTRY_TRY(ContainerReader(rest.first(header.size), header).read(images));
      return header.size;
    };
    const auto size =
        GANTRY_TRY_CONTEXT(read(), fmt::format("offload binary at offset {}", offset));
    offset = align_up(offset + size);
  }
  return images;
}

Result<std::vector<std::byte>> write_offload_binaries(std::span<const OffloadImage> images,
                                                      ContainerVersion version) {
  const auto number = static_cast<std::uint32_t>(version);
  const std::size_t images_each = version == ContainerVersion::kV1 ? 1 : images.size();
  ContainerWriter writer;
  while (!images.empty()) {
    GANTRY_TRY(writer.write(images.first(images_each), number));
    images = images.subspan(images_each);
  }
  return writer.take();
}

} // namespace gantry::format
