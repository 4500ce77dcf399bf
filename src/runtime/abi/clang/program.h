// The descriptor of a program that Clang compiled, decoded.
#pragma once

#include "runtime/core/programs/program.h"

namespace gantry::abi::clang {

/// Reads a Descriptor; a core::DecodeProgram. What it refers to is trusted to be where it says, as
/// the linker put it there; what it says about itself is checked.
[[nodiscard]] Result<core::ProgramContents> decode_program(const void* descriptor);

} // namespace gantry::abi::clang
