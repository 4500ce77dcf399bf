#include "reference.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gantry::simt::instructions {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

bool Expected::accepts(Word actual) const {
  switch (kind) {
  case Kind::kExact:
    return actual == bits;
  case Kind::kAny:
    return true;
  case Kind::kAnyNan:
    return format.is_nan(actual);
  case Kind::kWithin:
    return !format.is_nan(actual) && low <= double_of(actual, format) &&
           double_of(actual, format) <= high;
  }
  return false;
}

std::string Expected::text() const {
  switch (kind) {
  case Kind::kExact:
    return fmt::format("{:#x}", bits);
  case Kind::kAny:
    return "anything";
  case Kind::kAnyNan:
    return "a NaN";
  case Kind::kWithin:
    return fmt::format("{:a} to {:a}", low, high);
  }
  return {};
}

Evaluate reference_of(Opcode opcode) {
  for (const auto& references :
       {arithmetic_references(), bit_references(), video_references(), approximate_references(),
        conversion_references(), comparison_references()}) {
    const auto found = std::ranges::find(references, opcode, &Reference::opcode);
    if (found != references.end()) {
      return found->evaluate;
    }
  }
  return nullptr;
}

Format format_of(Type type) {
  switch (type) {
  case Type::kF16:
  case Type::kF16x2:
    return kHalf;
  case Type::kBf16:
  case Type::kBf16x2:
    return kBfloat;
  case Type::kF64:
    return kDouble;
  default:
    return kSingle;
  }
}

__int128 value_of(Type type, Word bits) {
  const unsigned width = bits_of(type);
  const Word low = low_bits(bits, width);
  const bool negative = ptx::is_signed(type) && (low >> (width - 1) & 1) != 0;
  return static_cast<__int128>(low) - (negative ? static_cast<__int128>(1) << width : 0);
}

__int128 smallest(Type type) {
  return ptx::is_signed(type) ? -(static_cast<__int128>(1) << (bits_of(type) - 1)) : 0;
}

__int128 largest(Type type) {
  return (static_cast<__int128>(1) << (bits_of(type) - (ptx::is_signed(type) ? 1 : 0))) - 1;
}

__int128 clamped(Type type, __int128 value) {
  return std::clamp(value, smallest(type), largest(type));
}

Round rounding_of(const Instance& instance) {
  return instance.has_any(Modifier::kRz, Modifier::kRzi)   ? Round::kZero
         : instance.has_any(Modifier::kRm, Modifier::kRmi) ? Round::kDown
         : instance.has_any(Modifier::kRp, Modifier::kRpi) ? Round::kUp
                                                           : Round::kNearestEven;
}

double double_of(Word bits, Format format) {
  const Number number = unpacked(bits, format);
  if (number.is_nan()) {
    return NAN;
  }
  const double magnitude =
      number.is_infinite()
          ? INFINITY
          : std::ldexp(static_cast<double>(static_cast<Word>(number.significand)), number.exponent);
  return number.negative ? -magnitude : magnitude;
}

Word updated(const Instance& instance, Word old, Word value) {
  const Type type = instance.type();
  const bool is_less = value_of(type, old) < value_of(type, value);
  switch (instance.first_of({Modifier::kAdd, Modifier::kMin, Modifier::kMax, Modifier::kInc,
                             Modifier::kDec, Modifier::kAnd, Modifier::kOr})) {
  case Modifier::kAdd:
    return low_bits(old + value, 8 * ptx::size_of(type));
  case Modifier::kMin:
    return is_less ? old : value;
  case Modifier::kMax:
    return is_less ? value : old;
  case Modifier::kInc:
    return old >= value ? 0 : old + 1;
  case Modifier::kDec:
    return old == 0 || old > value ? value : old - 1;
  case Modifier::kAnd:
    return old & value;
  case Modifier::kOr:
    return old | value;
  default:
    return old ^ value;
  }
}

} // namespace gantry::simt::instructions
