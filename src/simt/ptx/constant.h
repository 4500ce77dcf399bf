// Constant expressions: literals joined by the operators of C.
#pragma once

#include "simt/ptx/cursor.h"

#include <cstdint>

namespace gantry::simt::ptx {

struct Constant {
  enum class Kind : std::uint8_t { kInteger, kFloat32, kFloat64 };
  Kind kind = Kind::kInteger;
  bool is_unsigned = false; ///< of an integer: .u64, not .s64
  std::uint64_t bits = 0;

  [[nodiscard]] bool is_integer() const { return kind == Kind::kInteger; }
  /// The value of a floating-point literal.
  [[nodiscard]] double as_double() const;
};

/// Whether the token can begin a constant expression; + - ! ~ ( can, too.
[[nodiscard]] bool begins_constant(const Token& token);

/// Parses an expression. `sign` is a unary operator that the caller has gone past already.
[[nodiscard]] bool parse_constant(Cursor& cursor, Constant& result, char sign = '\0');

/// Parses what follows a first operand that the caller has gone past already: nothing, or operators
/// and more operands.
[[nodiscard]] bool continue_constant(Cursor& cursor, Constant& first);

/// The bits of a floating-point number in half the precision or twice: .f32 or .f64.
[[nodiscard]] std::uint32_t float32_bits(const Constant& constant);
[[nodiscard]] std::uint64_t float64_bits(const Constant& constant);

} // namespace gantry::simt::ptx
