// Functions whose error PTX bounds. They are computed in a wider format and rounded once.
#include "simt/exec/arithmetic/engine.h"

#include <bit>
#include <cmath>

namespace gantry::simt::exec {

namespace {

/// rcp and rsqrt.approx.ftz.f64 read and write the upper word of a double alone.
std::uint64_t upper_word(std::uint64_t bits) {
  if (kDouble.is_nan(bits)) {
    return kDouble.nan;
  }
  constexpr std::uint64_t kUpper = 0xFFFF'FFFF'0000'0000;
  return (bits + 0x8000'0000) & kUpper;
}

double function_of(Operator operation, double x) {
  switch (operation) {
  case Operator::kSin:
    return std::sin(x);
  case Operator::kCos:
    return std::cos(x);
  case Operator::kLg2:
    return std::log2(x);
  case Operator::kEx2:
    return std::exp2(x);
  case Operator::kTanh:
    return std::tanh(x);
  case Operator::kSqrt:
    return std::sqrt(x);
  case Operator::kRcp:
    return 1.0 / x;
  default:
    return 1.0 / std::sqrt(x);
  }
}

} // namespace

std::uint64_t approximate(const Arithmetic& operation, const Format& format, std::uint64_t a) {
  if (operation.type != ptx::Type::kF64) {
    return narrowed(format, function_of(operation.operation, widened(format, a)), Rounding::kNone);
  }
  if (operation.ftz) {
    const std::uint64_t upper = kDouble.flushed(a & 0xFFFF'FFFF'0000'0000);
    const double result = function_of(operation.operation, std::bit_cast<double>(upper));
    return kDouble.flushed(upper_word(std::bit_cast<std::uint64_t>(result)));
  }
  const auto x = static_cast<long double>(std::bit_cast<double>(a));
  return std::bit_cast<std::uint64_t>(static_cast<double>(1.0L / std::sqrt(x)));
}

} // namespace gantry::simt::exec
