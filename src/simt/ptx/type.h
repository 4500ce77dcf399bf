// The types of PTX (PTX ISA 9.0, 5.2): what an instruction does with the bits of a register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::simt::ptx {

enum class Type : std::uint8_t {
  kNone,
#define GANTRY_PTX_TYPE(name, word, bytes) k##name,
#include "simt/ptx/types.def"
#undef GANTRY_PTX_TYPE
};

/// Bytes that a value of the type takes in memory; a predicate takes one, kNone none.
[[nodiscard]] constexpr unsigned size_of(Type type) {
  constexpr std::uint8_t kBytes[] = {
      0,
#define GANTRY_PTX_TYPE(name, word, bytes) bytes,
#include "simt/ptx/types.def"
#undef GANTRY_PTX_TYPE
  };
  return kBytes[static_cast<std::size_t>(type)];
}

[[nodiscard]] constexpr bool is_signed(Type type) {
  return (type >= Type::kS8 && type <= Type::kS64) || type == Type::kS16x2;
}
[[nodiscard]] constexpr bool is_unsigned(Type type) {
  return (type >= Type::kU8 && type <= Type::kU64) || type == Type::kU16x2;
}
[[nodiscard]] constexpr bool is_integer(Type type) {
  return is_signed(type) || is_unsigned(type);
}
[[nodiscard]] constexpr bool is_bits(Type type) {
  return type >= Type::kB8 && type <= Type::kB128;
}
[[nodiscard]] constexpr bool is_packed(Type type) {
  return type >= Type::kF16x2 && type <= Type::kS16x2;
}
/// Instructions have such operands; no register and no variable is declared with one.
[[nodiscard]] constexpr bool is_of_matrices(Type type) {
  return type >= Type::kTf32;
}
/// Bits of one element of a matrix.
[[nodiscard]] constexpr unsigned element_bits(Type type) {
  return type == Type::kB1 ? 1 : type == Type::kS4 || type == Type::kU4 ? 4 : size_of(type) * 8;
}
[[nodiscard]] constexpr bool is_float(Type type) {
  return type >= Type::kF16 && type <= Type::kBf16x2;
}

/// "u32" → kU32. Types that the executor does not know (b1024, e4m3 …) are not found.
[[nodiscard]] std::optional<Type> type_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Type type);

} // namespace gantry::simt::ptx
