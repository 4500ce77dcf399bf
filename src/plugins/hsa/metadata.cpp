#include "plugins/hsa/metadata.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include <elf.h>

namespace gantry::hsa {

namespace {

/// A value of a MessagePack document. Arrays and maps are followed by their elements.
struct Value {
  enum class Kind : std::uint8_t { kOther, kNumber, kText, kArray, kMap };
  Kind kind = Kind::kOther;
  std::uint64_t number = 0; ///< also how many elements, or pairs of them, follow
  std::string_view text = {};
};

/// Reads one value after the other; nothing behind something damaged.
class MessagePack {
public:
  explicit MessagePack(Bytes bytes) : bytes_(bytes) {}

  std::optional<Value> next();
  /// Skips a value that next() has given with all that belongs to it.
  bool skip(const Value& value);

private:
  /// A big-endian number of so many bytes.
  std::optional<std::uint64_t> number(std::size_t size);
  std::optional<Value> text(std::optional<std::uint64_t> size);
  std::optional<Value> opaque(std::optional<std::uint64_t> size);
  static std::optional<Value> elements(Value::Kind kind, std::optional<std::uint64_t> count) {
    return count ? std::optional(Value{kind, *count}) : std::nullopt;
  }

  Bytes bytes_;
  std::uint64_t at_ = 0;
};

std::optional<std::uint64_t> MessagePack::number(std::size_t size) {
  const auto bytes = slice(bytes_, at_, size);
  if (!bytes) {
    return std::nullopt;
  }
  at_ += size;
  std::uint64_t value = 0;
  for (const std::byte byte : *bytes) {
    value = value << 8 | std::to_integer<std::uint64_t>(byte);
  }
  return value;
}

std::optional<Value> MessagePack::text(std::optional<std::uint64_t> size) {
  const auto bytes = size ? slice(bytes_, at_, *size) : std::nullopt;
  if (!bytes) {
    return std::nullopt;
  }
  at_ += *size;
  return Value{Value::Kind::kText, 0, as_text(*bytes)};
}

std::optional<Value> MessagePack::opaque(std::optional<std::uint64_t> size) {
  return text(size) ? std::optional(Value{}) : std::nullopt;
}

std::optional<Value> MessagePack::next() {
  const auto first = number(1);
  if (!first) {
    return std::nullopt;
  }
  const std::uint64_t code = *first;
  if (code < 0x80) {
    return Value{Value::Kind::kNumber, code};
  }
  if (code < 0x90) {
    return Value{Value::Kind::kMap, code & 0xf};
  }
  if (code < 0xa0) {
    return Value{Value::Kind::kArray, code & 0xf};
  }
  if (code < 0xc0) {
    return text(code & 0x1f);
  }
  if (code >= 0xe0) {
    return Value{}; // a negative number
  }
  // Where the size of something follows, its logarithm is in the low bits.
  switch (code) {
  case 0xc0: // nil
  case 0xc2: // false
    return Value{};
  case 0xc3:
    return Value{Value::Kind::kNumber, 1};
  case 0xc4:
  case 0xc5:
  case 0xc6:
    return opaque(number(std::size_t{1} << (code - 0xc4)));
  case 0xc7:
  case 0xc8:
  case 0xc9: {
    const auto size = number(std::size_t{1} << (code - 0xc7));
    return opaque(size ? std::optional(*size + 1) : std::nullopt);
  }
  case 0xca: // floating-point numbers
    return opaque(4);
  case 0xcb:
    return opaque(8);
  case 0xcc:
  case 0xcd:
  case 0xce:
  case 0xcf: {
    const auto value = number(std::size_t{1} << (code - 0xcc));
    return value ? std::optional(Value{Value::Kind::kNumber, *value}) : std::nullopt;
  }
  case 0xd0: // signed numbers
  case 0xd1:
  case 0xd2:
  case 0xd3:
    return opaque(std::size_t{1} << (code - 0xd0));
  case 0xd4:
  case 0xd5:
  case 0xd6:
  case 0xd7:
  case 0xd8:
    return opaque((std::size_t{1} << (code - 0xd4)) + 1);
  case 0xd9:
  case 0xda:
  case 0xdb:
    return text(number(std::size_t{1} << (code - 0xd9)));
  case 0xdc:
  case 0xdd:
    return elements(Value::Kind::kArray, number(std::size_t{2} << (code - 0xdc)));
  case 0xde:
  case 0xdf:
    return elements(Value::Kind::kMap, number(std::size_t{2} << (code - 0xde)));
  default:
    return std::nullopt;
  }
}

bool MessagePack::skip(const Value& value) {
  const auto following = [](const Value& of) -> std::uint64_t {
    return of.kind == Value::Kind::kArray ? of.number
           : of.kind == Value::Kind::kMap ? 2 * of.number
                                          : 0;
  };
  // Each element is a byte at least, so that the sum stays small.
  for (std::uint64_t left = following(value); left > 0; --left) {
    const auto element = next();
    if (!element || following(*element) > bytes_.size()) {
      return false;
    }
    left += following(*element);
  }
  return true;
}

/// Reads a map, whose values `read(key, value)` takes; false behind something damaged.
template <typename Read>
bool read_map(MessagePack& document, const Value& map, Read&& read) {
  for (std::uint64_t i = 0; i < map.number; ++i) {
    const auto key = document.next();
    if (!key || !document.skip(*key)) {
      return false;
    }
    const auto value = document.next();
    if (!value || !read(key->text, *value)) {
      return false;
    }
  }
  return true;
}

template <typename Read>
bool read_array_of_maps(MessagePack& document, const Value& array, Read&& read) {
  if (array.kind != Value::Kind::kArray) {
    return document.skip(array);
  }
  for (std::uint64_t i = 0; i < array.number; ++i) {
    const auto element = document.next();
    if (!element ||
        !(element->kind == Value::Kind::kMap ? read(*element) : document.skip(*element))) {
      return false;
    }
  }
  return true;
}

constexpr auto kHidden = std::to_array<std::pair<std::string_view, HiddenArgument>>({
    {"hidden_block_count_x", HiddenArgument::kBlockCountX},
    {"hidden_block_count_y", HiddenArgument::kBlockCountY},
    {"hidden_block_count_z", HiddenArgument::kBlockCountZ},
    {"hidden_group_size_x", HiddenArgument::kGroupSizeX},
    {"hidden_group_size_y", HiddenArgument::kGroupSizeY},
    {"hidden_group_size_z", HiddenArgument::kGroupSizeZ},
    {"hidden_remainder_x", HiddenArgument::kRemainderX},
    {"hidden_remainder_y", HiddenArgument::kRemainderY},
    {"hidden_remainder_z", HiddenArgument::kRemainderZ},
    {"hidden_grid_dims", HiddenArgument::kGridDimensions},
    {"hidden_dynamic_lds_size", HiddenArgument::kDynamicGroupMemory},
    {"hidden_private_base", HiddenArgument::kPrivateBase},
    {"hidden_shared_base", HiddenArgument::kSharedBase},
    {"hidden_queue_ptr", HiddenArgument::kQueue},
});

bool read_argument(MessagePack& document, const Value& map, KernelMetadata& kernel) {
  std::string_view kind;
  std::uint64_t offset = 0, size = 0;
  const bool whole = read_map(document, map, [&](std::string_view key, const Value& value) {
    if (key == ".value_kind") {
      kind = value.text;
    } else if (key == ".offset") {
      offset = value.number;
    } else if (key == ".size") {
      size = value.number;
    }
    return document.skip(value);
  });
  const auto* const known =
      std::ranges::find(kHidden, kind, &std::pair<std::string_view, HiddenArgument>::first);
  if (whole && known != kHidden.end() && size <= sizeof(std::uint64_t)) {
    kernel.hidden.push_back(
        {known->second, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
  }
  return whole;
}

bool read_kernel(MessagePack& document, const Value& map, Metadata& metadata) {
  std::string_view name;
  KernelMetadata kernel;
  const std::pair<std::string_view, std::uint32_t*> numbers[] = {
      {".wavefront_size", &kernel.wave_size},
      {".max_flat_workgroup_size", &kernel.max_block_size},
      {".vgpr_count", &kernel.vector_registers},
      {".agpr_count", &kernel.accumulation_registers},
  };
  const bool whole = read_map(document, map, [&](std::string_view key, const Value& value) {
    if (key == ".args") {
      return read_array_of_maps(document, value, [&](const Value& argument) {
        return read_argument(document, argument, kernel);
      });
    }
    if (key == ".name") {
      name = value.text;
    }
    for (const auto& [known, number] : numbers) {
      if (key == known) {
        *number = static_cast<std::uint32_t>(value.number);
      }
    }
    return document.skip(value);
  });
  if (whole) {
    metadata.emplace(name, std::move(kernel));
  }
  return whole;
}

void read_document(Bytes bytes, Metadata& metadata) {
  MessagePack document(bytes);
  const auto root = document.next();
  if (!root || root->kind != Value::Kind::kMap) {
    return;
  }
  (void)read_map(document, *root, [&](std::string_view key, const Value& value) {
    return key == "amdhsa.kernels"
               ? read_array_of_maps(
                     document, value,
                     [&](const Value& kernel) { return read_kernel(document, kernel, metadata); })
               : document.skip(value);
  });
}

/// The notes of one segment.
void read_notes(Bytes notes, Metadata& metadata) {
  constexpr std::uint32_t kMetadataNote = 32; // NT_AMDGPU_METADATA
  constexpr std::string_view kOwner("AMDGPU\0", 7);
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  for (std::uint64_t at = 0;;) {
    const auto header = load<Elf64_Nhdr>(notes, at);
    if (!header) {
      return;
    }
    at += sizeof *header;
    const auto owner = slice(notes, at, header->n_namesz);
    const auto contents = slice(notes, at + padded(header->n_namesz), header->n_descsz);
    if (!owner || !contents) {
      return;
    }
    if (header->n_type == kMetadataNote && as_text(*owner) == kOwner) {
      read_document(*contents, metadata);
    }
    at += padded(header->n_namesz) + padded(header->n_descsz);
  }
}

} // namespace

Metadata read_metadata(Bytes code_object) {
  Metadata metadata;
  const auto header = load<Elf64_Ehdr>(code_object, 0);
  if (!header) {
    return metadata;
  }
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = load<Elf64_Phdr>(
        code_object.subspan(std::min<std::uint64_t>(header->e_phoff, code_object.size())),
        i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_NOTE) {
      if (const auto notes = slice(code_object, segment->p_offset, segment->p_filesz)) {
        read_notes(*notes, metadata);
      }
    }
  }
  return metadata;
}

} // namespace gantry::hsa
