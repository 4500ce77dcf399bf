// The words of PTX: opcodes, what may follow a dot, and special registers.
#pragma once

#include "simt/ptx/module.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::simt::ptx {

/// kUnknown if the executor has no such instruction.
[[nodiscard]] Opcode opcode_named(std::string_view name);

/// A word after a dot in the name of an instruction: one of the two, or neither.
struct InstructionWord {
  Type type = Type::kNone;
  Modifier modifier = Modifier::kCount;
};
[[nodiscard]] InstructionWord instruction_word(std::string_view name);

enum class Directive : std::uint8_t {
  kUnknown,
  kPerformance, ///< numbers follow, and none of them changes what a program does
#define GANTRY_PTX_DIRECTIVE(name, word) k##name,
#include "simt/ptx/directives.def"
#undef GANTRY_PTX_DIRECTIVE
};
[[nodiscard]] Directive directive_named(std::string_view name);

struct SpecialName {
  SpecialRegister first = SpecialRegister::kTidX;
  /// What `.x` … select: nothing, a register after `first`, or Operand::element.
  enum class Elements : std::uint8_t { kNone, kRegisters, kElements } elements = Elements::kNone;
  std::uint8_t number = 0; ///< of kEnvreg and kPm
  /// PTX has it, the executor does not.
  bool unsupported = false;
};
[[nodiscard]] std::optional<SpecialName> special_named(std::string_view name);

} // namespace gantry::simt::ptx
