// Reads MessagePack documents (the MessagePack specification), of bytes that are not believed.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry {

/// A value of a MessagePack document. Arrays and maps are followed by their elements.
struct MessagePackValue {
  enum class Kind : std::uint8_t { kOther, kNumber, kText, kArray, kMap };
  Kind kind = Kind::kOther;
  std::uint64_t number = 0; ///< also how many elements, or pairs of them, follow
  std::string_view text = {};
};

/// Reads one value after the other; nothing behind something damaged.
class MessagePack {
public:
  explicit MessagePack(Bytes bytes) : bytes_(bytes) {}

  std::optional<MessagePackValue> next();
  /// Skips a value that next() has given with all that belongs to it.
  bool skip(const MessagePackValue& value);

private:
  /// A big-endian number of so many bytes.
  std::optional<std::uint64_t> number(std::size_t size);
  std::optional<MessagePackValue> text(std::optional<std::uint64_t> size);
  std::optional<MessagePackValue> opaque(std::optional<std::uint64_t> size);
  static std::optional<MessagePackValue> elements(MessagePackValue::Kind kind,
                                                  std::optional<std::uint64_t> count) {
    return count ? std::optional(MessagePackValue{kind, *count}) : std::nullopt;
  }

  Bytes bytes_;
  std::uint64_t at_ = 0;
};

/// Reads a map, whose values `read(key, value)` takes; false behind something damaged.
template <typename Read>
bool read_map(MessagePack& document, const MessagePackValue& map, Read&& read) {
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
bool read_array_of_maps(MessagePack& document, const MessagePackValue& array, Read&& read) {
  if (array.kind != MessagePackValue::Kind::kArray) {
    return document.skip(array);
  }
  for (std::uint64_t i = 0; i < array.number; ++i) {
    const auto element = document.next();
    if (!element || !(element->kind == MessagePackValue::Kind::kMap ? read(*element)
                                                                    : document.skip(*element))) {
      return false;
    }
  }
  return true;
}

} // namespace gantry
