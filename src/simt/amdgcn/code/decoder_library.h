// The decoder, opened when the first instruction is read.
#pragma once

#include "simt/amdgcn/code/decoder_interface.h"

#include <string>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

/// Any thread. The library stays open for ever.
[[nodiscard]] const tl::expected<DecoderFunctions, std::string>& decoder_functions();

/// False once the process ends, and with it what LLVM needs. To be asked before each call.
[[nodiscard]] bool decoder_may_be_called();

} // namespace gantry::simt::amdgcn
