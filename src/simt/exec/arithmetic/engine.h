// The parts of arithmetic.cpp: each function computes one kind of operation on bits.
// arithmetic.cpp applies the modifiers that all kinds share (.ftz, .sat, .relu).
#pragma once

#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/exec/arithmetic/format.h"

#include <cstdint>

namespace gantry::simt::exec {

/// The host's rounding mode, set for as long as the object lives to the direction of a rounding;
/// nothing happens for those to nearest. Not to be held across anything that may suspend a warp.
class RoundingScope {
public:
  explicit RoundingScope(Rounding rounding);
  ~RoundingScope();
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

private:
  int previous_ = -1;
};

/// kAdd to kRcp on f32 and f64 in the host's rounding mode. NaN results may have any payload.
[[nodiscard]] std::uint64_t compute_single(Operator operation, std::uint64_t a, std::uint64_t b,
                                           std::uint64_t c);
[[nodiscard]] std::uint64_t compute_double(Operator operation, std::uint64_t a, std::uint64_t b,
                                           std::uint64_t c);
/// The same on f16 and bf16, rounded once.
[[nodiscard]] std::uint64_t compute_half(const Format& format, Operator operation,
                                         Rounding rounding, std::uint64_t a, std::uint64_t b,
                                         std::uint64_t c);

/// kRsqrt and kSin to kTanh of every format, rcp and sqrt of f64 with .approx.
[[nodiscard]] std::uint64_t approximate(const Arithmetic& operation, const Format& format,
                                        std::uint64_t a);

/// kConvert, all of it; `b` is the lower element where the result is packed.
[[nodiscard]] std::uint64_t convert(const Arithmetic& operation, std::uint64_t a, std::uint64_t b);

} // namespace gantry::simt::exec
