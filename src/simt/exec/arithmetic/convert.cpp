// cvt: between integers and floating-point formats, clamping as PTX does.
#include "simt/exec/arithmetic/engine.h"

#include <cmath>

namespace gantry::simt::exec {

namespace {

using ptx::Type;

unsigned width_of(Type type) {
  return ptx::size_of(type) * 8;
}

std::uint64_t mask_of(unsigned width) {
  return ~0ULL >> (64 - width);
}

std::int64_t sign_extended(std::uint64_t bits, unsigned width) {
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

struct Range {
  std::int64_t least;
  std::uint64_t greatest;
};

Range range_of(Type type) {
  const unsigned width = width_of(type);
  if (ptx::is_signed(type)) {
    return {static_cast<std::int64_t>(~0ULL << (width - 1)), mask_of(width) >> 1};
  }
  return {0, mask_of(width)};
}

std::uint64_t integer_from_integer(const Arithmetic& operation, std::uint64_t a) {
  const unsigned width = width_of(operation.source);
  const std::int64_t extended = sign_extended(a, width);
  const bool negative = ptx::is_signed(operation.source) && extended < 0;
  const std::uint64_t value =
      ptx::is_signed(operation.source) ? static_cast<std::uint64_t>(extended) : a & mask_of(width);
  const std::uint64_t mask = mask_of(width_of(operation.type));
  if (!operation.saturate) {
    return value & mask;
  }
  const Range range = range_of(operation.type);
  if (negative) {
    return static_cast<std::uint64_t>(std::max(extended, range.least)) & mask;
  }
  return std::min(value, range.greatest);
}

double rounded_to_integer(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::kNearestEven:
  case Rounding::kIntegerNearestEven:
    return __builtin_roundeven(value);
  case Rounding::kDown:
  case Rounding::kIntegerDown:
    return std::floor(value);
  case Rounding::kUp:
  case Rounding::kIntegerUp:
    return std::ceil(value);
  default:
    return std::trunc(value);
  }
}

std::uint64_t integer_from_float(const Arithmetic& operation, std::uint64_t a) {
  const unsigned width = width_of(operation.type);
  const double value = widened(format_of(operation.source), a);
  if (std::isnan(value)) {
    return operation.source != Type::kF64 && width <= 32 ? 0 : 1ULL << (width - 1);
  }
  const double rounded = rounded_to_integer(value, operation.rounding);
  const Range range = range_of(operation.type);
  // Powers of two, exact as doubles where the greatest integers themselves are not.
  const double beyond = std::ldexp(1.0, static_cast<int>(width) - (range.least < 0 ? 1 : 0));
  if (rounded >= beyond) {
    return range.greatest;
  }
  if (rounded < static_cast<double>(range.least)) {
    return static_cast<std::uint64_t>(range.least) & mask_of(width);
  }
  return range.least < 0
             ? static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded)) & mask_of(width)
             : static_cast<std::uint64_t>(rounded);
}

std::uint64_t float_from_integer(const Arithmetic& operation, std::uint64_t a) {
  const unsigned width = width_of(operation.source);
  if (!ptx::is_signed(operation.source)) {
    return from_integer(format_of(operation.type), false, a & mask_of(width), operation.rounding);
  }
  const std::int64_t value = sign_extended(a, width);
  const std::uint64_t magnitude =
      value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return from_integer(format_of(operation.type), value < 0, magnitude, operation.rounding);
}

bool rounds_to_integer(Rounding rounding) {
  return rounding >= Rounding::kIntegerNearestEven;
}

std::uint64_t float_from_float(const Arithmetic& operation, std::uint64_t a) {
  const Format& to = format_of(operation.type);
  double value = widened(format_of(operation.source), a);
  if (rounds_to_integer(operation.rounding)) {
    value = rounded_to_integer(value, operation.rounding);
  }
  return narrowed(to, value, operation.rounding);
}

std::uint64_t convert_element(const Arithmetic& operation, std::uint64_t a) {
  // .ftz is about f32 alone: the subnormal numbers of the 16-bit formats stay.
  if (operation.ftz && operation.source == Type::kF32) {
    a = kSingle.flushed(a);
  }
  const bool from_float = ptx::is_float(operation.source);
  if (!ptx::is_float(operation.type)) {
    return from_float ? integer_from_float(operation, a) : integer_from_integer(operation, a);
  }
  const Format& format = format_of(operation.type);
  std::uint64_t result =
      from_float ? float_from_float(operation, a) : float_from_integer(operation, a);
  if (operation.ftz && operation.type == Type::kF32) {
    result = format.flushed(result);
  }
  if (operation.saturate) {
    result = format.saturated(result);
  }
  return operation.relu ? format.rectified(result) : result;
}

} // namespace

std::uint64_t convert(const Arithmetic& operation, std::uint64_t a, std::uint64_t b) {
  if (!ptx::is_packed(operation.type)) {
    return convert_element(operation, a);
  }
  return convert_element(operation, a) << 16 | convert_element(operation, b);
}

} // namespace gantry::simt::exec
