// Whether an assembler's line says what the executor has read.
#pragma once

#include "simt/amdgcn/code/printer.h"

#include <string>
#include <string_view>

namespace gantry::simt::amdgcn {

/// Empty if LLVM's line says the same; or else how the two are written.
[[nodiscard]] std::string difference(const PrintedLine& printed, std::string_view line);

} // namespace gantry::simt::amdgcn
