// The operations that IEEE 754 defines, in the host's hardware and its rounding mode.
#include "simt/exec/arithmetic/engine.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <type_traits>

#pragma STDC FENV_ACCESS ON

namespace gantry::simt::exec {

namespace {

int host_mode(Rounding rounding) {
  switch (rounding) {
  case Rounding::kZero:
    return FE_TOWARDZERO;
  case Rounding::kDown:
    return FE_DOWNWARD;
  case Rounding::kUp:
    return FE_UPWARD;
  default:
    return -1;
  }
}

template <typename Float>
Float result_of(Operator operation, Float x, Float y, Float z) {
  switch (operation) {
  case Operator::kAdd:
    return x + y;
  case Operator::kSub:
    return x - y;
  case Operator::kMul:
    return x * y;
  case Operator::kDiv:
    return x / y;
  case Operator::kFma:
    return std::fma(x, y, z);
  case Operator::kSqrt:
    return std::sqrt(x);
  default:
    return Float{1} / x;
  }
}

template <typename Float, typename Bits>
std::uint64_t compute_ieee(Operator operation, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const auto number = [](std::uint64_t bits) {
    return std::bit_cast<Float>(static_cast<Bits>(bits));
  };
  return std::bit_cast<Bits>(result_of(operation, number(a), number(b), number(c)));
}

/// The exact sum `sum + error`, rounded to odd: of the doubles around it, the one whose last bit is
/// set.
double rounded_to_odd(double sum, double error) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0 || !std::isfinite(sum)) {
    return sum;
  }
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

double sum_to_odd(double a, double b, Rounding rounding) {
  const double sum = a + b;
  if (sum == 0 && rounding == Rounding::kDown && std::signbit(a) != std::signbit(b)) {
    return -0.0;
  }
  const double part = sum - a;
  return rounded_to_odd(sum, (a - (sum - part)) + (b - part));
}

} // namespace

RoundingScope::RoundingScope(Rounding rounding) {
  const int mode = host_mode(rounding);
  if (mode >= 0) {
    previous_ = std::fegetround();
    std::fesetround(mode);
  }
}

RoundingScope::~RoundingScope() {
  if (previous_ >= 0) {
    std::fesetround(previous_);
  }
}

std::uint64_t compute_single(Operator operation, std::uint64_t a, std::uint64_t b,
                             std::uint64_t c) {
  return compute_ieee<float, std::uint32_t>(operation, a, b, c);
}

std::uint64_t compute_double(Operator operation, std::uint64_t a, std::uint64_t b,
                             std::uint64_t c) {
  return compute_ieee<double, std::uint64_t>(operation, a, b, c);
}

std::uint64_t compute_half(const Format& format, Operator operation, Rounding rounding,
                           std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const double x = widened(format, a);
  const double y = widened(format, b);
  // A product of two is exact in a double; a sum may not be. Quotients and roots of so few bits are
  // never so near to a midpoint that rounding them twice gives another result.
  double result = 0;
  switch (operation) {
  case Operator::kAdd:
    result = sum_to_odd(x, y, rounding);
    break;
  case Operator::kSub:
    result = sum_to_odd(x, -y, rounding);
    break;
  case Operator::kFma:
    result = sum_to_odd(x * y, widened(format, c), rounding);
    break;
  default:
    result = result_of(operation, x, y, 0.0);
    break;
  }
  return narrowed(format, result, rounding);
}

} // namespace gantry::simt::exec
