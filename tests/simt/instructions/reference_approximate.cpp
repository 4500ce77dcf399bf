// Functions that the PTX ISA bounds rather than defines (9.7.3, 9.7.4): any result inside the bound
// is right. div, rcp and sqrt have exact forms as well.
#include "reference.h"

#include <cmath>
#include <limits>

namespace gantry::simt::instructions {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Operands = std::span<const Word>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How far a result may be off: the largest of these, beside what a flush to zero adds.
struct Bound {
  double relative = 0;
  double absolute = 0;
};

// What is near `exact`, in a format: its infinity where `exact` is beyond the largest number, and
// what lies between it and zero where it is too small.
Expected near(double exact, Bound bound, Format format, bool flushes) {
  if (std::isnan(exact)) {
    Expected expected;
    expected.kind = Expected::Kind::kAnyNan;
    expected.format = format;
    return expected;
  }
  if (std::isinf(exact)) {
    return Expected::within(exact, exact, format);
  }
  const double largest = double_of(format.infinity() - 1, format);
  const double unit = double_of(1, format);
  const double off = std::max(std::abs(exact) * bound.relative, bound.absolute);
  double low = exact - off - (bound.relative > 0 ? unit : 0);
  double high = exact + off + (bound.relative > 0 ? unit : 0);
  low = low < -largest ? -kInfinity : low > largest ? largest : low;
  high = high > largest ? kInfinity : high < -largest ? -largest : high;
  if (flushes && std::abs(exact) - off < double_of(format.smallest_normal(), format)) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  return Expected::within(low, high, format);
}

double operand(const Instance& instance, Word bits, Format format) {
  if (format.width() == 64 && instance.has(Modifier::kFtz)) {
    bits &= 0xFFFF'FFFF'0000'0000;
  }
  return double_of(instance.has(Modifier::kFtz) ? format.flushed(bits) : bits, format);
}

// The bound is for |b| from 2^-126 to 2^126; beyond, the quotient may be as if b were infinite.
Outcome quotient_of(const Instance& instance, Operands operands) {
  if (!instance.has_any(Modifier::kApprox, Modifier::kFull)) {
    return exact_quotient(instance, operands);
  }
  const double a = operand(instance, operands[0], kSingle);
  const double b = operand(instance, operands[1], kSingle);
  const bool flushes = instance.has(Modifier::kFtz);
  Expected expected = near(a / b, {0x1p-22, 0}, kSingle, flushes);
  if (instance.has(Modifier::kApprox) && (std::abs(b) > 0x1p126 || std::abs(b) < 0x1p-126) &&
      b != 0 && !std::isinf(b)) {
    if (std::abs(b) < 0x1p-126 || std::isinf(a)) {
      return {Expected::any()};
    }
    expected.low = std::min(expected.low, 0.0);
    expected.high = std::max(expected.high, 0.0);
  }
  return {expected};
}

// In double precision only the upper half of the operand counts (of rcp and rsqrt with .ftz), and
// of the result 20 digits are good.
Outcome reciprocal_of(const Instance& instance, Operands operands) {
  if (!instance.has(Modifier::kApprox)) {
    return exact_reciprocal(instance, operands);
  }
  const Format format = format_of(instance.type());
  const double bound = instance.type() == Type::kF64 ? 0x1p-19 : 0x1p-22;
  return {near(1 / operand(instance, operands[0], format), {bound, 0}, format,
               instance.has(Modifier::kFtz))};
}

Outcome root_of(const Instance& instance, Operands operands) {
  if (!instance.has(Modifier::kApprox)) {
    return exact_root(instance, operands);
  }
  const double value = std::sqrt(operand(instance, operands[0], kSingle));
  return {near(value, {0x1p-22, 0}, kSingle, instance.has(Modifier::kFtz))};
}

Outcome inverse_root(const Instance& instance, Operands operands) {
  const Format format = format_of(instance.type());
  const double value = 1 / std::sqrt(operand(instance, operands[0], format));
  const double bound = instance.type() == Type::kF64 ? 0x1p-19 : 0x1p-22;
  return {near(value, {bound, 0}, format, instance.has(Modifier::kFtz))};
}

Outcome wave(const Instance& instance, Operands operands) {
  const double x = operand(instance, operands[0], kSingle);
  const double value = instance.opcode == Opcode::k_sin ? std::sin(x) : std::cos(x);
  if (std::abs(x) > 100 * M_PI && !std::isinf(x)) {
    return {Expected::within(-1, 1, kSingle)};
  }
  const double bound = std::abs(x) <= 2 * M_PI ? 0x1p-20 : 0x1p-14;
  return {near(value, {0, bound}, kSingle, instance.has(Modifier::kFtz))};
}

Outcome logarithm(const Instance& instance, Operands operands) {
  const double x = operand(instance, operands[0], kSingle);
  const Bound bound = x > 0.5 && x < 2 ? Bound{0, 0x1p-22} : Bound{0x1p-22, 0};
  return {near(std::log2(x), bound, kSingle, instance.has(Modifier::kFtz))};
}

template <typename Compute>
Outcome by_format(const Instance& instance, Operands operands, Compute compute) {
  const Format format = format_of(instance.type());
  if (!ptx::is_packed(instance.type())) {
    return {compute(operands[0], format)};
  }
  // Two halves of which each has a range are no range: one that both are in is checked by itself.
  return {compute(operands[0] & 0xFFFF, format), compute(operands[0] >> 16, format)};
}

Outcome power_of_two(const Instance& instance, Operands operands) {
  return by_format(instance, operands, [&](Word bits, Format format) {
    const double bound = format.width() == 32         ? 0x1p-22
                         : format.fraction_bits == 10 ? 0x1p-9
                                                      : 0x1p-7;
    return near(std::exp2(operand(instance, bits, format)), {bound, 0}, format,
                instance.has(Modifier::kFtz));
  });
}

Outcome hyperbolic_tangent(const Instance& instance, Operands operands) {
  return by_format(instance, operands, [&](Word bits, Format format) {
    const Bound bound = format.width() == 32         ? Bound{0x1p-10, 0}
                        : format.fraction_bits == 10 ? Bound{0, 0x1p-10}
                                                     : Bound{0, 0x1p-8};
    return near(std::tanh(double_of(bits, format)), bound, format, false);
  });
}

constexpr Reference kReferences[] = {
    {Opcode::k_div, quotient_of},
    {Opcode::k_rcp, reciprocal_of},
    {Opcode::k_sqrt, root_of},
    {Opcode::k_rsqrt, inverse_root},
    {Opcode::k_sin, wave},
    {Opcode::k_cos, wave},
    {Opcode::k_lg2, logarithm},
    {Opcode::k_ex2, power_of_two},
    {Opcode::k_tanh, hyperbolic_tangent},
};

} // namespace

std::span<const Reference> approximate_references() {
  return kReferences;
}

} // namespace gantry::simt::instructions
