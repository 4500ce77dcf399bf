// How Clang and Flang name what they compile.
#pragma once

#include "runtime/core/reports/compiler_names.h"

namespace gantry::abi::clang {

extern const core::CompilerNames kNames;

} // namespace gantry::abi::clang
