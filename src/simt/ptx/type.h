// The types of PTX (PTX ISA 9.0, 5.2): what an instruction does with the bits of a register.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::simt::ptx {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kBf16,
  kF32,
  kF64,
  kF16x2,
  kBf16x2,
  kU16x2,
  kS16x2,
};

/// Bytes that a value of the type takes in memory; a predicate takes one, kNone none.
[[nodiscard]] constexpr unsigned size_of(Type type) {
  switch (type) {
  case Type::kNone:
    return 0;
  case Type::kPred:
  case Type::kB8:
  case Type::kU8:
  case Type::kS8:
    return 1;
  case Type::kB16:
  case Type::kU16:
  case Type::kS16:
  case Type::kF16:
  case Type::kBf16:
    return 2;
  case Type::kB32:
  case Type::kU32:
  case Type::kS32:
  case Type::kF32:
  case Type::kF16x2:
  case Type::kBf16x2:
  case Type::kU16x2:
  case Type::kS16x2:
    return 4;
  case Type::kB64:
  case Type::kU64:
  case Type::kS64:
  case Type::kF64:
    return 8;
  case Type::kB128:
    return 16;
  }
  return 0;
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
  return type >= Type::kF16x2;
}
[[nodiscard]] constexpr bool is_float(Type type) {
  return type >= Type::kF16 && type <= Type::kBf16x2;
}

/// "u32" → kU32. Types that the executor does not know (b1024, e4m3, tf32 …) are not found.
[[nodiscard]] std::optional<Type> type_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Type type);

} // namespace gantry::simt::ptx
