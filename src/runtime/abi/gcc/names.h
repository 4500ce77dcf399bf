// How GCC names what it compiles.
#pragma once

#include "runtime/core/programs/compiler.h"

#include <string_view>

namespace gantry::abi::gcc {

extern const core::Compiler kGcc;

/// The same for programs that GCC's design of 2013 registers (openmp_target.h).
extern const core::Compiler kGccOpenmpTarget;

} // namespace gantry::abi::gcc
