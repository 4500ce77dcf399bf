// setp and set (PTX ISA 9.7.6), of whole values and of halves.
#include "reference.h"

namespace gantry::simt::instructions {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Operands = std::span<const Word>;

constexpr std::initializer_list<Modifier> kComparisons = {
    Modifier::kEq,  Modifier::kNe,  Modifier::kLt,  Modifier::kLe,  Modifier::kGt,  Modifier::kGe,
    Modifier::kLo,  Modifier::kLs,  Modifier::kHi,  Modifier::kHs,  Modifier::kEqu, Modifier::kNeu,
    Modifier::kLtu, Modifier::kLeu, Modifier::kGtu, Modifier::kGeu, Modifier::kNum, Modifier::kNan};

// A comparison of operands that are in order, of which the first is less, equal or greater.
bool holds(Modifier comparison, int order) {
  switch (comparison) {
  case Modifier::kEq:
  case Modifier::kEqu:
    return order == 0;
  case Modifier::kNe:
  case Modifier::kNeu:
    return order != 0;
  case Modifier::kLt:
  case Modifier::kLtu:
  case Modifier::kLo:
    return order < 0;
  case Modifier::kLe:
  case Modifier::kLeu:
  case Modifier::kLs:
    return order <= 0;
  case Modifier::kGt:
  case Modifier::kGtu:
  case Modifier::kHi:
    return order > 0;
  case Modifier::kGe:
  case Modifier::kGeu:
  case Modifier::kHs:
    return order >= 0;
  default:
    return comparison == Modifier::kNum;
  }
}

// With a NaN, what says so in its name holds.
bool holds_unordered(Modifier comparison) {
  return comparison == Modifier::kEqu || comparison == Modifier::kNeu ||
         comparison == Modifier::kLtu || comparison == Modifier::kLeu ||
         comparison == Modifier::kGtu || comparison == Modifier::kGeu ||
         comparison == Modifier::kNan;
}

std::int64_t rank(Word bits, Format format) {
  const auto magnitude = static_cast<std::int64_t>(bits & (format.sign() - 1));
  return (bits & format.sign()) != 0 ? -magnitude : magnitude;
}

bool compares(const Instance& instance, Type type, Word a, Word b) {
  const Modifier comparison = instance.first_of(kComparisons);
  if (!ptx::is_float(type)) {
    const __int128 x = value_of(type, a);
    const __int128 y = value_of(type, b);
    return holds(comparison, x < y ? -1 : x > y);
  }
  const Format format = format_of(type);
  if (format.is_nan(a) || format.is_nan(b)) {
    return holds_unordered(comparison);
  }
  if (instance.has(Modifier::kFtz)) {
    a = format.flushed(a);
    b = format.flushed(b);
  }
  const std::int64_t x = rank(a, format);
  const std::int64_t y = rank(b, format);
  return holds(comparison, x < y ? -1 : x > y);
}

bool with_boolean(const Instance& instance, bool compared, Operands operands) {
  const bool third = operands.size() > 2 && operands[2] != 0;
  return instance.has(Modifier::kAnd)   ? compared && third
         : instance.has(Modifier::kOr)  ? compared || third
         : instance.has(Modifier::kXor) ? compared != third
                                        : compared;
}

Expected truth(bool holds) {
  return Expected::exactly(holds ? 1 : 0);
}

Outcome set_predicate(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  if (ptx::is_packed(type)) {
    const bool low = compares(instance, type, operands[0] & 0xFFFF, operands[1] & 0xFFFF);
    const bool high = compares(instance, type, operands[0] >> 16, operands[1] >> 16);
    return {truth(with_boolean(instance, low, operands)),
            truth(with_boolean(instance, high, operands))};
  }
  const bool compared = compares(instance, type, operands[0], operands[1]);
  return {truth(with_boolean(instance, compared, operands)),
          truth(with_boolean(instance, !compared, operands))};
}

Word as_value(Type type, bool holds) {
  if (!holds) {
    return 0;
  }
  return ptx::is_float(type) ? format_of(type).one() : low_bits(~Word{0}, bits_of(type));
}

Outcome set_value(const Instance& instance, Operands operands) {
  const Type to = instance.type(0);
  const Type type = instance.type(1);
  if (!ptx::is_packed(type)) {
    const bool compared = compares(instance, type, operands[0], operands[1]);
    return {Expected::exactly(as_value(to, with_boolean(instance, compared, operands)))};
  }
  // An integer that is set by halves has all ones in each half of which it is true.
  const Type half = to == Type::kF16x2    ? Type::kF16
                    : to == Type::kBf16x2 ? Type::kBf16
                                          : Type::kU16;
  const bool low = compares(instance, type, operands[0] & 0xFFFF, operands[1] & 0xFFFF);
  const bool high = compares(instance, type, operands[0] >> 16, operands[1] >> 16);
  return {Expected::exactly(as_value(half, with_boolean(instance, low, operands)) |
                            as_value(half, with_boolean(instance, high, operands)) << 16)};
}

constexpr Reference kReferences[] = {{Opcode::k_setp, set_predicate}, {Opcode::k_set, set_value}};

} // namespace

std::span<const Reference> comparison_references() {
  return kReferences;
}

} // namespace gantry::simt::instructions
