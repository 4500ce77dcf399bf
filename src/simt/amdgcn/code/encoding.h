// Reads instructions of the gfx8 and gfx9 families from their bits.
#pragma once

#include "simt/amdgcn/code/decoder_interface.h"
#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/objects/processor.h"

#include <cstdint>
#include <span>
#include <string>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

/// The instruction that LLVM has named, from its dwords, as many as it has. An error says what of
/// it the executor does not know.
[[nodiscard]] tl::expected<Instruction, std::string>
read_instruction(const Processor& processor, const DecodedName& name,
                 std::span<const std::uint32_t> words);

} // namespace gantry::simt::amdgcn
