#include "simt/amdgcn/exec/turns.h"

#include <cmath>

namespace gantry::simt::amdgcn {

// What x is beyond half a turn is taken off, and of the rest what is beyond a quarter mirrored,
// which are exact, so that small results are as good as others.
f64 sine_of_turns(f64 x) {
  constexpr f64 kTurn = 6.283185307179586476925286766559;
  const f64 rest = std::remainder(x, 1.0);
  const f64 near_zero = std::abs(rest) > 0.25 ? std::copysign(0.5, rest) - rest : rest;
  return std::sin(near_zero * kTurn);
}
f64 cosine_of_turns(f64 x) {
  return sine_of_turns(0.25 - std::abs(std::remainder(x, 1.0)));
}
} // namespace gantry::simt::amdgcn
