// Arithmetic of IEEE 754's halves by that of floats and doubles: to nearest, denormal numbers kept.
#pragma once

#include "simt/amdgcn/exec/ieee.h"
#include "simt/amdgcn/exec/operands.h"

#include <cmath>
#include <limits>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace half {

inline constexpr u16 kSign = 0x8000;
inline constexpr f16 kOne = std::bit_cast<f16>(u16{0x3c00});
inline constexpr f16 kInfinity = std::bit_cast<f16>(u16{0x7c00});
inline constexpr f16 kNan = std::bit_cast<f16>(u16{0x7e00});

constexpr f16 from(u32 bits) {
  return std::bit_cast<f16>(static_cast<u16>(bits));
}

inline f32 wide(f16 x) {
  return static_cast<f32>(x);
}
/// A float has more than twice a half's digits: sums, products, quotients and roots that are
/// rounded to it are the same numbers rounded once more as if they had been rounded to a half.
inline f16 rounded(f32 x) {
  return static_cast<f16>(x);
}
inline f16 rounded(f64 x) {
  return static_cast<f16>(x);
}

// Of several operands that are no numbers, the first one is the result, quiet (ieee.h).
inline f16 sum(f16 a, f16 b) {
  return is_nan(a) ? quiet(a) : rounded(wide(a) + wide(b));
}
inline f16 product(f16 a, f16 b) {
  return is_nan(a) ? quiet(a) : rounded(wide(a) * wide(b));
}
/// a * b + c in one rounding.
inline f16 fused(f16 a, f16 b, f16 c) {
  for (const f16 x : {a, b, c}) {
    if (is_nan(x)) {
      return quiet(x);
    }
  }
  const f64 exact = f64{wide(a)} * f64{wide(b)};
  const f64 addend = wide(c);
  const f64 total = exact + addend;
  const f64 part = total - exact;
  const f64 error = (exact - (total - part)) + (addend - part);
  auto bits = std::bit_cast<u64>(total);
  if (std::isfinite(total) && error != 0 && (bits & 1) == 0) {
    // To odd: whichever way it is rounded next, it is no tie that the exact sum is not.
    bits += (error > 0) == (total > 0) ? 1 : ~u64{0};
  }
  return rounded(std::bit_cast<f64>(bits));
}
constexpr f16 flushed(f16 x) {
  return is_denormal(x) ? with_sign(f16{0}, is_negative(x)) : x;
}
/// v_mad_f16 and its like: two roundings, and no denormal numbers.
inline f16 multiplied_added(f16 a, f16 b, f16 c) {
  return flushed(sum(flushed(product(flushed(a), flushed(b))), flushed(c)));
}

/// To 0 … 1; what is no number becomes 0.
inline f16 clamped(f16 x) {
  return wide(x) > 0 ? minimum(x, kOne) : from(0);
}

} // namespace half

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
