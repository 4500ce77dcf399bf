// How Clang and Flang name what they compile.
#pragma once

#include "runtime/core/programs/compiler.h"

namespace gantry::abi::clang {

extern const core::Compiler kClang;

} // namespace gantry::abi::clang
