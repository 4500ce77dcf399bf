// The descriptor of a program that Clang compiled, decoded.
#pragma once

#include "runtime/core/programs/compiler.h"

namespace gantry::abi::clang {

/// Reads a Descriptor; a core::DecodeProgram. What it refers to is trusted to be where it says, as
/// the linker put it there; what it says about itself is checked.
[[nodiscard]] Result<core::ProgramContents> decode_program(const void* descriptor);

/// How Clang and Flang name what they compile (names.cpp).
extern const core::Compiler kClang;

} // namespace gantry::abi::clang
