// The arithmetic of PTX that no machine instruction does (directed rounding, conversions,
// approximations), one lane at a time, for compiled code and the evaluator.
//
// An operation is packed in 32 bits, so that compiled code can carry it as a constant. Values are
// words of 64 bits of which the type's width counts; upper bits of results are zero (for narrow
// signed integers too: the reader extends). PTX ISA 9.0, 9.7.1 to 9.7.6; results are correctly
// rounded where the ISA gives an error bound. Nothing here depends on, or leaves behind, a rounding
// mode.
#pragma once

#include "simt/ptx/type.h"

#include <cstdint>

namespace gantry::simt::exec {

enum class Operator : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFma,
  kSqrt,
  kRcp,
  kRsqrt,
  kMin,
  kMax,
  kAbs,
  kNeg,
  kSin,
  kCos,
  kLg2,
  kEx2,
  kTanh,
  kConvert, ///< from `source` to `type`
};

enum class Rounding : std::uint8_t {
  kNone, ///< the operation's default: to nearest even for arithmetic
  kNearestEven,
  kZero,
  kDown,
  kUp,
  kNearestAway,
  kIntegerNearestEven,
  kIntegerZero,
  kIntegerDown,
  kIntegerUp, ///< .rni .rzi .rmi .rpi
};

struct Arithmetic {
  Operator operation = Operator::kAdd;
  ptx::Type type = ptx::Type::kF32;    ///< of the result and, but for kConvert, of the operands
  ptx::Type source = ptx::Type::kNone; ///< of the operand of kConvert
  Rounding rounding = Rounding::kNone;
  bool ftz = false;      ///< .ftz: subnormal inputs and results of f32 (f16) are flushed to zero
  bool saturate = false; ///< .sat
  bool propagate_nan = false; ///< .NaN of min and max
  bool xorsign_abs = false;   ///< .xorsign.abs of min and max
  bool relu = false;          ///< .relu of fma and cvt
  bool approximate = false;   ///< .approx, .full

  [[nodiscard]] constexpr std::uint32_t packed() const {
    return static_cast<std::uint32_t>(operation) | static_cast<std::uint32_t>(type) << 5 |
           static_cast<std::uint32_t>(source) << 10 | static_cast<std::uint32_t>(rounding) << 15 |
           std::uint32_t{ftz} << 19 | std::uint32_t{saturate} << 20 |
           std::uint32_t{propagate_nan} << 21 | std::uint32_t{xorsign_abs} << 22 |
           std::uint32_t{relu} << 23 | std::uint32_t{approximate} << 24;
  }
  [[nodiscard]] static constexpr Arithmetic unpacked(std::uint32_t word) {
    return {static_cast<Operator>(word & 31),
            static_cast<ptx::Type>(word >> 5 & 31),
            static_cast<ptx::Type>(word >> 10 & 31),
            static_cast<Rounding>(word >> 15 & 15),
            (word >> 19 & 1) != 0,
            (word >> 20 & 1) != 0,
            (word >> 21 & 1) != 0,
            (word >> 22 & 1) != 0,
            (word >> 23 & 1) != 0,
            (word >> 24 & 1) != 0};
  }
};

/// The result of a floating-point operation or conversion on one lane's operands (those that the
/// operation does not have are not read). Types: f16, bf16, f32, f64, the packed f16x2 and bf16x2
/// (element by element), for kMin and kMax u16x2 and s16x2 as well, and every integer type for
/// kConvert.
[[nodiscard]] std::uint64_t compute(const Arithmetic& operation, std::uint64_t a,
                                    std::uint64_t b = 0, std::uint64_t c = 0);

/// Services::arithmetic: compute() for the lanes of a mask.
void compute_lanes(std::uint32_t packed, std::uint32_t active, std::uint64_t* result,
                   const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c);

} // namespace gantry::simt::exec
