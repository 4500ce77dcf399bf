// Video instructions (PTX ISA 9.7.18): arithmetic on exact intermediate results, then saturation,
// then a second operation.
#include "reference.h"

#include <algorithm>

namespace gantry::simt::instructions {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Operands = std::span<const Word>;
using Value = std::int64_t;

Value element(Type type, Word word, unsigned index, unsigned width) {
  const Word bits = word >> (index * width) & ((Word{1} << width) - 1);
  const bool negative = ptx::is_signed(type) && (bits >> (width - 1) & 1) != 0;
  return static_cast<Value>(bits) - (negative ? Value{1} << width : 0);
}

Value limited(Type type, Value value, unsigned width) {
  const Value low = ptx::is_signed(type) ? -(Value{1} << (width - 1)) : 0;
  return std::clamp(value, low, low + (Value{1} << width) - 1);
}

Value combined(Opcode opcode, Value a, Value b) {
  switch (opcode) {
  case Opcode::k_vadd:
  case Opcode::k_vadd2:
  case Opcode::k_vadd4:
    return a + b;
  case Opcode::k_vsub:
  case Opcode::k_vsub2:
  case Opcode::k_vsub4:
    return a - b;
  case Opcode::k_vabsdiff:
  case Opcode::k_vabsdiff2:
  case Opcode::k_vabsdiff4:
    return a < b ? b - a : a - b;
  case Opcode::k_vmin:
  case Opcode::k_vmin2:
  case Opcode::k_vmin4:
    return std::min(a, b);
  case Opcode::k_vmax:
  case Opcode::k_vmax2:
  case Opcode::k_vmax4:
    return std::max(a, b);
  default: // vavrg: halves away from zero
    return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  }
}

Outcome whole(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  Value value = combined(instance.opcode, element(instance.type(1), operands[0], 0, 32),
                         element(instance.type(2), operands[1], 0, 32));
  if (instance.has(Modifier::kSat)) {
    value = limited(type, value, 32);
  }
  if (instance.has(Modifier::kAdd)) {
    value += element(type, operands[2], 0, 32);
  } else if (instance.has_any(Modifier::kMin, Modifier::kMax)) {
    if (value != limited(type, value, 32)) {
      return {Expected::any()}; // 34 bits against 33: the ISA does not say how they are compared
    }
    const Value third = element(type, operands[2], 0, 32);
    value = instance.has(Modifier::kMin) ? std::min(value, third) : std::max(value, third);
  }
  return {Expected::exactly(static_cast<std::uint32_t>(value))};
}

unsigned element_width(Opcode opcode) {
  switch (opcode) {
  case Opcode::k_vadd2:
  case Opcode::k_vsub2:
  case Opcode::k_vavrg2:
  case Opcode::k_vabsdiff2:
  case Opcode::k_vmin2:
  case Opcode::k_vmax2:
  case Opcode::k_vset2:
    return 16;
  default:
    return 8;
  }
}

// Results side by side, or their sum with the third operand.
template <typename Compute>
Outcome elements(const Instance& instance, Operands operands, Compute compute) {
  const unsigned width = element_width(instance.opcode);
  Word merged = 0;
  Word total = operands[2];
  for (unsigned i = 0; i < 32 / width; ++i) {
    const auto value = static_cast<Word>(compute(i, width));
    merged |= (value & ((Word{1} << width) - 1)) << (i * width);
    total += value;
  }
  return {
      Expected::exactly(static_cast<std::uint32_t>(instance.has(Modifier::kAdd) ? total : merged))};
}

Outcome arithmetic(const Instance& instance, Operands operands) {
  return elements(instance, operands, [&](unsigned i, unsigned width) {
    const Value value = combined(instance.opcode, element(instance.type(1), operands[0], i, width),
                                 element(instance.type(2), operands[1], i, width));
    return instance.has(Modifier::kSat) ? limited(instance.type(), value, width) : value;
  });
}

Outcome comparison(const Instance& instance, Operands operands) {
  return elements(instance, operands, [&](unsigned i, unsigned width) {
    const Value a = element(instance.type(0), operands[0], i, width);
    const Value b = element(instance.type(1), operands[1], i, width);
    switch (instance.first_of(
        {Modifier::kEq, Modifier::kNe, Modifier::kLt, Modifier::kLe, Modifier::kGt})) {
    case Modifier::kEq:
      return a == b;
    case Modifier::kNe:
      return a != b;
    case Modifier::kLt:
      return a < b;
    case Modifier::kLe:
      return a <= b;
    case Modifier::kGt:
      return a > b;
    default:
      return a >= b;
    }
  });
}

constexpr Reference kReferences[] = {
    {Opcode::k_vadd, whole},           {Opcode::k_vsub, whole},
    {Opcode::k_vabsdiff, whole},       {Opcode::k_vmin, whole},
    {Opcode::k_vmax, whole},           {Opcode::k_vadd2, arithmetic},
    {Opcode::k_vadd4, arithmetic},     {Opcode::k_vsub2, arithmetic},
    {Opcode::k_vsub4, arithmetic},     {Opcode::k_vavrg2, arithmetic},
    {Opcode::k_vavrg4, arithmetic},    {Opcode::k_vabsdiff2, arithmetic},
    {Opcode::k_vabsdiff4, arithmetic}, {Opcode::k_vmin2, arithmetic},
    {Opcode::k_vmin4, arithmetic},     {Opcode::k_vmax2, arithmetic},
    {Opcode::k_vmax4, arithmetic},     {Opcode::k_vset2, comparison},
    {Opcode::k_vset4, comparison},
};

} // namespace

std::span<const Reference> video_references() {
  return kReferences;
}

} // namespace gantry::simt::instructions
