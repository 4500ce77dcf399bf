// Operands of instructions, as eight or nine bits number them: registers and constants.
#pragma once

#include "simt/amdgcn/code/instruction.h"

#include <cstdint>
#include <optional>
#include <string>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

/// The register that no operand names, between M0 and EXEC. On gfx11 it is M0, and the one before
/// it is null.
inline constexpr unsigned kNoRegister = 125;
/// The number that says that the operand is the dword behind the instruction.
inline constexpr unsigned kLiteral = 255;

/// What the operand `number` is to a meaning that takes it for a `type`. `literal` is the dword
/// behind the instruction, if it may have one. An error says what of it the executor does not know.
[[nodiscard]] tl::expected<Source, std::string> read_operand(unsigned number, Type type,
                                                             std::optional<std::uint32_t> literal);

} // namespace gantry::simt::amdgcn
