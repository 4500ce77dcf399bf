#include "simt/exec/arithmetic/arithmetic.h"

#include "simt/exec/arithmetic/engine.h"

#include <bit>

namespace gantry::simt::exec {

namespace {

using ptx::Type;

/// The bits of a number ordered as integers, -0 below +0.
std::uint64_t ordered(const Format& format, std::uint64_t bits) {
  return (bits & format.sign()) != 0 ? ~bits & (format.sign() | format.magnitude())
                                     : bits | format.sign();
}

std::uint64_t extreme(const Arithmetic& operation, const Format& format, std::uint64_t a,
                      std::uint64_t b) {
  const std::uint64_t sign = (a ^ b) & format.sign();
  if (operation.xorsign_abs) {
    a &= format.magnitude();
    b &= format.magnitude();
  }
  const bool a_is_nan = format.is_nan(a);
  const bool b_is_nan = format.is_nan(b);
  if ((a_is_nan && b_is_nan) || (operation.propagate_nan && (a_is_nan || b_is_nan))) {
    return format.nan;
  }
  const bool a_is_less = ordered(format, a) < ordered(format, b);
  const bool takes_a =
      b_is_nan || (!a_is_nan && a_is_less == (operation.operation == Operator::kMin));
  return (takes_a ? a : b) | (operation.xorsign_abs ? sign : 0);
}

std::uint64_t extreme_integer(const Arithmetic& operation, std::uint64_t a, std::uint64_t b) {
  const std::int64_t x = operation.type == Type::kS16x2 ? static_cast<std::int16_t>(a)
                                                        : static_cast<std::int64_t>(a & 0xFFFF);
  const std::int64_t y = operation.type == Type::kS16x2 ? static_cast<std::int16_t>(b)
                                                        : static_cast<std::int64_t>(b & 0xFFFF);
  const std::int64_t result = (x < y) == (operation.operation == Operator::kMin) ? x : y;
  return operation.relu && result < 0 ? 0 : static_cast<std::uint64_t>(result) & 0xFFFF;
}

std::uint64_t operate(const Arithmetic& operation, const Format& format, std::uint64_t a,
                      std::uint64_t b, std::uint64_t c) {
  switch (operation.operation) {
  case Operator::kMin:
  case Operator::kMax:
    return extreme(operation, format, a, b);
  case Operator::kAbs:
    return a & format.magnitude();
  case Operator::kNeg:
    return a ^ format.sign();
  case Operator::kRsqrt:
  case Operator::kSin:
  case Operator::kCos:
  case Operator::kLg2:
  case Operator::kEx2:
  case Operator::kTanh:
    return approximate(operation, format, a);
  default:
    break;
  }
  std::uint64_t result = 0;
  if (operation.type == Type::kF32) {
    result = compute_single(operation.operation, a, b, c);
  } else if (operation.type == Type::kF64) {
    if (operation.approximate && operation.ftz) {
      return approximate(operation, format, a);
    }
    result = compute_double(operation.operation, a, b, c);
  } else {
    return compute_half(format, operation.operation, operation.rounding, a, b, c);
  }
  return format.is_nan(result) ? format.nan : result;
}

/// On one element, in the rounding mode that the operation needs.
std::uint64_t compute_element(const Arithmetic& operation, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c) {
  if (!ptx::is_float(operation.type)) {
    return extreme_integer(operation, a, b);
  }
  const Format& format = format_of(operation.type);
  const std::uint64_t mask = format.sign() | format.magnitude();
  a &= mask;
  b &= mask;
  c &= mask;
  const bool flushes = operation.ftz && operation.type != Type::kF64;
  if (flushes) {
    a = format.flushed(a);
    b = format.flushed(b);
    c = format.flushed(c);
  }
  std::uint64_t result = operate(operation, format, a, b, c);
  if (flushes) {
    result = format.flushed(result);
  }
  if (operation.saturate) {
    result = format.saturated(result);
  }
  return operation.relu ? format.rectified(result) : result;
}

std::uint64_t compute_in_mode(const Arithmetic& operation, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c) {
  if (operation.operation == Operator::kConvert) {
    return convert(operation, a, b);
  }
  if (!ptx::is_packed(operation.type)) {
    return compute_element(operation, a, b, c);
  }
  return compute_element(operation, a & 0xFFFF, b & 0xFFFF, c & 0xFFFF) |
         compute_element(operation, a >> 16 & 0xFFFF, b >> 16 & 0xFFFF, c >> 16 & 0xFFFF) << 16;
}

/// Only f32 and f64 use the host's rounding mode. Everything else rounds by itself and needs the
/// default mode.
Rounding host_rounding(const Arithmetic& operation) {
  const bool uses_host = operation.operation <= Operator::kRcp &&
                         (operation.type == Type::kF32 || operation.type == Type::kF64);
  return uses_host ? operation.rounding : Rounding::kNone;
}

} // namespace

std::uint64_t compute(const Arithmetic& operation, std::uint64_t a, std::uint64_t b,
                      std::uint64_t c) {
  const RoundingScope scope(host_rounding(operation));
  return compute_in_mode(operation, a, b, c);
}

void compute_lanes(std::uint32_t packed, std::uint32_t active, std::uint64_t* result,
                   const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c) {
  const Arithmetic operation = Arithmetic::unpacked(packed);
  const RoundingScope scope(host_rounding(operation));
  for (; active != 0; active &= active - 1) {
    const int lane = std::countr_zero(active);
    result[lane] =
        compute_in_mode(operation, a[lane], b != nullptr ? b[lane] : 0, c != nullptr ? c[lane] : 0);
  }
}

} // namespace gantry::simt::exec
