// Operands of instructions as the assembler's text has them, and what they are by the manuals.
#pragma once

#include "../assembler.h"
#include "../machine.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gantry::simt::amdgcn {

/// What an operand is to an instruction, by letters:
///   u 32 bits, U 64 bits, I 64 bits signed, s 16 bits, h half, f float, d double.
using OperandType = char;

[[nodiscard]] constexpr unsigned width_of(OperandType type) {
  return type == 'U' || type == 'I' || type == 'd' ? 64 : type == 's' || type == 'h' ? 16 : 32;
}
[[nodiscard]] constexpr unsigned dwords_of(OperandType type) {
  return width_of(type) == 64 ? 2 : 1;
}
[[nodiscard]] constexpr bool is_floating(OperandType type) {
  return type == 'f' || type == 'd' || type == 'h';
}
[[nodiscard]] constexpr std::uint64_t low_bits(std::uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

struct Operand {
  enum class Kind : std::uint8_t { kVector, kScalar, kScc, kConstant };
  std::string text;
  Kind kind = Kind::kConstant;
  unsigned index = 0;         ///< of the first register
  std::uint64_t constant = 0; ///< as the operand's type reads it

  /// As it is before the instruction.
  [[nodiscard]] std::uint64_t value(const Wave& before, unsigned lane, OperandType type) const;
};

/// "v4", "v[4:5]", "s[4:7]".
[[nodiscard]] std::string registers(char letter, unsigned first, unsigned count);
[[nodiscard]] Operand vector_operand(unsigned first, OperandType type);
[[nodiscard]] Operand scalar_operand(unsigned first, OperandType type);
/// All that can stand for a scalar source of the type: SGPRs and those with names, constants of
/// integers and floats, and a literal if `with_literals`.
[[nodiscard]] std::vector<Operand> scalar_sources(OperandType type, bool with_literals);
/// Those of them with which one instruction can be told from another: an SGPR and a constant.
[[nodiscard]] std::vector<Operand> some_scalar_sources(OperandType type);

/// Values at the edges of a type; and one of them, or any other.
[[nodiscard]] const std::vector<std::uint64_t>& edges_of(OperandType type);
[[nodiscard]] std::uint64_t any_value(OperandType type, std::mt19937_64& random);

/// Registers with values that nothing else has.
void scramble(Wave& wave, std::mt19937_64& random);

} // namespace gantry::simt::amdgcn
