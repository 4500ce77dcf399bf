// cvt (PTX ISA 9.7.9.21).
#include "reference.h"

#include <cmath>

namespace gantry::simt::instructions {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Operands = std::span<const Word>;

// .relu and .sat: NaN stays NaN with the first, and becomes +0 with the second.
Word limited(const Instance& instance, Format format, Word bits) {
  const bool negative = (bits & format.sign()) != 0;
  if (instance.has(Modifier::kRelu) && negative && !format.is_nan(bits)) {
    return 0;
  }
  if (instance.has(Modifier::kSat)) {
    return format.is_nan(bits) || negative ? 0 : std::min(bits, format.one());
  }
  return bits;
}

Word to_float(const Instance& instance, const Number& number, Format format) {
  const Word bits = packed(number, format, rounding_of(instance));
  const bool flushes = instance.has(Modifier::kFtz) && format.width() == 32;
  return limited(instance, format, flushes ? format.flushed(bits) : bits);
}

// What is out of range becomes the nearest number, with and without .sat. NaN has no nearest one.
Expected to_integer_of(const Instance& instance, Type from, const Number& number) {
  const Type to = instance.type(0);
  if (number.is_nan()) {
    if (bits_of(to) == 64) {
      return Expected::exactly(Word{1} << 63);
    }
    if (from != Type::kF64) {
      return Expected::exactly(0);
    }
    return bits_of(to) == 32 ? Expected::exactly(Word{1} << 31) : Expected::any();
  }
  const __int128 value = to_integer(integral(number, rounding_of(instance)));
  return Expected::exactly(low_bits(static_cast<Word>(clamped(to, value)), bits_of(to)));
}

Number source_number(const Instance& instance, Type from, Word bits) {
  const Format format = format_of(from);
  return unpacked(instance.has(Modifier::kFtz) && from == Type::kF32 ? format.flushed(bits) : bits,
                  format);
}

// tf32 is the first 19 bits of an f32: a sign, 8 of an exponent and 10 of a significand.
Word to_tf32(const Instance& instance, Word single) {
  constexpr Format kFormat{8, 10};
  const Number number = unpacked(single, kSingle);
  if (number.is_nan()) {
    return kSingle.nan();
  }
  if (!instance.has(Modifier::kRna) || number.is_infinite()) {
    return limited(instance, kFormat, packed(number, kFormat, rounding_of(instance))) << 13;
  }
  // To the nearest; of two the one that is farther from zero.
  const Word nearer = packed(number, kFormat, Round::kZero);
  const double beyond = (nearer + 1 & ~kFormat.sign()) == kFormat.infinity()
                            ? 0x1p128
                            : std::abs(double_of(nearer + 1, kFormat));
  const double middle = (std::abs(double_of(nearer, kFormat)) + beyond) / 2;
  return (std::abs(double_of(single, kSingle)) >= middle ? nearer + 1 : nearer) << 13;
}

Outcome convert(const Instance& instance, Operands operands) {
  const Type to = instance.type(0);
  const Type from = instance.type(1);
  const Format format = format_of(to);
  if (to == Type::kTf32) {
    return {Expected::exactly(to_tf32(instance, operands[0]))};
  }
  if (ptx::is_packed(to)) {
    const Word high = to_float(instance, source_number(instance, from, operands[0]), format);
    const Word low = to_float(instance, source_number(instance, from, operands[1]), format);
    return {Expected::exactly(high << 16 | low)};
  }
  if (!ptx::is_float(from)) {
    const __int128 value = value_of(from, operands[0]);
    if (ptx::is_float(to)) {
      return {Expected::exactly(to_float(instance, Number::integer(value), format))};
    }
    return {Expected::exactly(
        low_bits(static_cast<Word>(instance.has(Modifier::kSat) ? clamped(to, value) : value),
                 bits_of(to)))};
  }
  const Number number = source_number(instance, from, operands[0]);
  if (!ptx::is_float(to)) {
    return {to_integer_of(instance, from, number)};
  }
  const bool to_integral =
      instance.has_any(Modifier::kRni, Modifier::kRzi, Modifier::kRmi, Modifier::kRpi);
  return {Expected::exactly(
      to_float(instance, to_integral ? integral(number, rounding_of(instance)) : number, format))};
}

constexpr Reference kReferences[] = {{Opcode::k_cvt, convert}};

} // namespace

std::span<const Reference> conversion_references() {
  return kReferences;
}

} // namespace gantry::simt::instructions
