// Floats without denormal numbers.
#pragma once

#include "simt/amdgcn/exec/ieee.h"
#include "simt/amdgcn/exec/operands.h"

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

/// A denormal number becomes a zero of its sign.
constexpr u32 flushed_bits(u32 x) {
  return (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
}
constexpr f32 flushed(f32 x) {
  return std::bit_cast<f32>(flushed_bits(std::bit_cast<u32>(x)));
}
/// v_mad_f32 and its like, which know no denormal numbers in any mode.
inline f32 multiplied_added(f32 a, f32 b, f32 c) {
  return flushed(sum(flushed(product(flushed(a), flushed(b))), flushed(c)));
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
