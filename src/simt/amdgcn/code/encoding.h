// Reads instructions of the gfx8, gfx9 and gfx11 families from their bits.
#pragma once

#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/objects/processor.h"

#include <cstdint>
#include <span>
#include <string>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

/// The longest instruction, in dwords.
inline constexpr unsigned kLongestInstruction = 3;

/// The instruction that the dwords begin with. An error says what of it the executor does not know,
/// or that it is none.
[[nodiscard]] tl::expected<Instruction, std::string>
read_instruction(const Processor& processor, std::span<const std::uint32_t> words);

/// The second operation of an instruction of VOPD, which read_instruction has read.
[[nodiscard]] tl::expected<Instruction, std::string>
read_second_operation(const Processor& processor, std::span<const std::uint32_t> words);

} // namespace gantry::simt::amdgcn
