#include "base/message_pack.h"

namespace gantry {

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

std::optional<MessagePackValue> MessagePack::text(std::optional<std::uint64_t> size) {
  const auto bytes = size ? slice(bytes_, at_, *size) : std::nullopt;
  if (!bytes) {
    return std::nullopt;
  }
  at_ += *size;
  return MessagePackValue{MessagePackValue::Kind::kText, 0, as_text(*bytes)};
}

std::optional<MessagePackValue> MessagePack::opaque(std::optional<std::uint64_t> size) {
  return text(size) ? std::optional(MessagePackValue{}) : std::nullopt;
}

std::optional<MessagePackValue> MessagePack::next() {
  const auto first = number(1);
  if (!first) {
    return std::nullopt;
  }
  const std::uint64_t code = *first;
  if (code < 0x80) {
    return MessagePackValue{MessagePackValue::Kind::kNumber, code};
  }
  if (code < 0x90) {
    return MessagePackValue{MessagePackValue::Kind::kMap, code & 0xf};
  }
  if (code < 0xa0) {
    return MessagePackValue{MessagePackValue::Kind::kArray, code & 0xf};
  }
  if (code < 0xc0) {
    return text(code & 0x1f);
  }
  if (code >= 0xe0) {
    return MessagePackValue{}; // a negative number
  }
  // Where the size of something follows, its logarithm is in the low bits.
  switch (code) {
  case 0xc0: // nil
  case 0xc2: // false
    return MessagePackValue{};
  case 0xc3:
    return MessagePackValue{MessagePackValue::Kind::kNumber, 1};
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
    return value ? std::optional(MessagePackValue{MessagePackValue::Kind::kNumber, *value})
                 : std::nullopt;
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
    return elements(MessagePackValue::Kind::kArray, number(std::size_t{2} << (code - 0xdc)));
  case 0xde:
  case 0xdf:
    return elements(MessagePackValue::Kind::kMap, number(std::size_t{2} << (code - 0xde)));
  default:
    return std::nullopt;
  }
}

bool MessagePack::skip(const MessagePackValue& value) {
  const auto following = [](const MessagePackValue& of) -> std::uint64_t {
    return of.kind == MessagePackValue::Kind::kArray ? of.number
           : of.kind == MessagePackValue::Kind::kMap ? 2 * of.number
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

} // namespace gantry
