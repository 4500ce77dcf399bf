// The identification of LLVM bitcode: which LLVM wrote it, read without LLVM.
#pragma once

#include "base/bytes.h"

#include <string>

namespace gantry::format {

/// The string of the bitcode's identification block, such as "LLVM22.1.8"; empty if there is none
/// that can be read.
[[nodiscard]] std::string bitcode_identification(Bytes bytes);

} // namespace gantry::format
