// Reading foreign bytes: every access is checked against the buffer's end, and no sum of an offset
// and a size that a file claims is ever formed before it is known not to overflow.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace gantry {

static_assert(std::endian::native == std::endian::little,
              "the formats read here are little endian and are read as they lie in memory");

/// Bytes that somebody else owns.
using Bytes = std::span<const std::byte>;

/// The `size` bytes at `offset`, or nothing if they are not all inside `bytes`.
[[nodiscard]] inline std::optional<Bytes> slice(Bytes bytes, std::uint64_t offset,
                                                std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return std::nullopt;
  }
  return bytes.subspan(offset, size);
}

/// The value of type T at `offset`, at any alignment, or nothing if it is not all inside `bytes`.
template <typename T>
[[nodiscard]] std::optional<T> load(Bytes bytes, std::uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::optional<Bytes> source = slice(bytes, offset, sizeof(T));
  if (!source) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, source->data(), sizeof(T));
  return value;
}

/// `bytes` as characters.
[[nodiscard]] inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The bytes of `text`, without a terminating zero.
[[nodiscard]] inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

/// The NUL-terminated string at `offset`, or nothing if it does not start and end inside `bytes`.
[[nodiscard]] inline std::optional<std::string_view> c_string(Bytes bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) {
    return std::nullopt;
  }
  const std::string_view rest = as_text(bytes).substr(offset);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  return rest.substr(0, end);
}

} // namespace gantry
