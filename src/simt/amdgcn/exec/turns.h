// Sines and cosines of angles in turns, as hardware takes them.
#pragma once

#include "simt/amdgcn/exec/operands.h"

namespace gantry::simt::amdgcn {

/// The sine of 2π x.
[[nodiscard]] f64 sine_of_turns(f64 x);
[[nodiscard]] f64 cosine_of_turns(f64 x);

} // namespace gantry::simt::amdgcn
