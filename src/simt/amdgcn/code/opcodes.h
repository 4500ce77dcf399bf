// Which format a dword is of, and which mnemonic its opcode is, by the table that the build makes
// of what LLVM knows.
#pragma once

#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/objects/processor.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::simt::amdgcn {

/// The format of the instruction that begins with the dword; nothing if it is none that is known.
[[nodiscard]] std::optional<Format> format_of(const Processor& processor, std::uint32_t first);

/// The mnemonic, without "_e32" and "_e64", of the instruction that begins with the dword; empty if
/// the processor has none of that opcode. Lives for ever.
[[nodiscard]] std::string_view mnemonic_of(const Processor& processor, Format format,
                                           std::uint32_t first);

} // namespace gantry::simt::amdgcn
