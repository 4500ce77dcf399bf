// Integer and floating-point arithmetic with exact or correctly rounded results (PTX ISA 9.7.1 to
// 9.7.4, and 9.7.2 for the carry).
#include "reference.h"

#include <algorithm>

namespace gantry::simt::instructions {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Operands = std::span<const Word>;

Expected integer(Type type, __int128 value) {
  return Expected::exactly(low_bits(static_cast<Word>(value), bits_of(type)));
}

// .sat of floating point: from +0 to 1, and NaN is +0.
Word saturated(Word bits, Format format) {
  if (format.is_nan(bits) || (bits & format.sign()) != 0) {
    return 0;
  }
  return std::min(bits, format.one());
}

// What modifiers do to a result.
Word finished(const Instance& instance, Format format, Word bits) {
  if (instance.has(Modifier::kFtz)) {
    bits = format.flushed(bits);
  }
  if (instance.has(Modifier::kRelu) && (bits & format.sign()) != 0 && !format.is_nan(bits)) {
    bits = 0;
  }
  return instance.has(Modifier::kSat) ? saturated(bits, format) : bits;
}

// Rounds what `compute` gives for operands that are flushed if they are to be.
template <typename Compute>
Outcome floating(const Instance& instance, Operands operands, Compute compute) {
  const Format format = format_of(instance.type());
  const Round mode = rounding_of(instance);
  const auto scalar = [&](Operands parts) {
    std::array<Number, 3> numbers;
    for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 3); ++i) {
      const Word bits = instance.has(Modifier::kFtz) ? format.flushed(parts[i]) : parts[i];
      numbers[i] = unpacked(bits, format);
    }
    return finished(instance, format, packed(compute(numbers, mode), format, mode));
  };
  const Word bits =
      ptx::is_packed(instance.type()) ? of_halves(operands, scalar) : scalar(operands);
  return {Expected::exactly(bits)};
}

// A sum with the carry, as add.cc leaves it and addc takes it.
Outcome carried(Type type, __int128 a, __int128 b, Word carry) {
  const auto total = static_cast<unsigned __int128>(low_bits(static_cast<Word>(a), bits_of(type))) +
                     low_bits(static_cast<Word>(b), bits_of(type)) + carry;
  return {integer(type, static_cast<__int128>(total)),
          Expected::exactly(static_cast<Word>(total >> bits_of(type)))};
}

// A difference with the borrow.
Outcome borrowed(Type type, Word a, Word b, Word borrow) {
  const __int128 difference = static_cast<__int128>(a) - b - borrow;
  return {integer(type, difference), Expected::exactly(difference < 0 ? 1 : 0)};
}

Outcome add(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  if (ptx::is_float(type)) {
    return floating(instance, operands, [](const auto& numbers, Round mode) {
      return sum(numbers[0], numbers[1], mode);
    });
  }
  if (ptx::is_packed(type)) {
    return {
        Expected::exactly(of_halves(operands, [](Operands parts) { return parts[0] + parts[1]; }))};
  }
  if (instance.has(Modifier::kCc) || instance.opcode == Opcode::k_addc) {
    return carried(type, operands[0], operands[1],
                   instance.opcode == Opcode::k_addc ? operands[2] : 0);
  }
  const __int128 value = value_of(type, operands[0]) + value_of(type, operands[1]);
  return {integer(type, instance.has(Modifier::kSat) ? clamped(type, value) : value)};
}

Outcome subtract(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  if (ptx::is_float(type)) {
    return floating(instance, operands, [](const auto& numbers, Round mode) {
      return sum(numbers[0], negated(numbers[1]), mode);
    });
  }
  if (instance.has(Modifier::kCc) || instance.opcode == Opcode::k_subc) {
    return borrowed(type, operands[0], operands[1],
                    instance.opcode == Opcode::k_subc ? operands[2] : 0);
  }
  const __int128 value = value_of(type, operands[0]) - value_of(type, operands[1]);
  return {integer(type, instance.has(Modifier::kSat) ? clamped(type, value) : value)};
}

// The 64 bits of a u64 product are more than an __int128 has when they are unsigned.
unsigned __int128 product_of(Type type, Word a, Word b) {
  if (ptx::is_signed(type)) {
    return static_cast<unsigned __int128>(value_of(type, a) * value_of(type, b));
  }
  return static_cast<unsigned __int128>(a) * b;
}

Outcome multiply(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  if (ptx::is_float(type)) {
    return floating(instance, operands,
                    [](const auto& numbers, Round) { return product(numbers[0], numbers[1]); });
  }
  const unsigned __int128 result = product_of(type, operands[0], operands[1]);
  if (instance.has(Modifier::kHi)) {
    return {integer(type, static_cast<__int128>(result >> bits_of(type)))};
  }
  const unsigned width = bits_of(type) * (instance.has(Modifier::kWide) ? 2 : 1);
  return {Expected::exactly(low_bits(static_cast<Word>(result), width))};
}

Outcome multiply_add(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  if (ptx::is_float(type)) {
    return floating(instance, operands, [](const auto& numbers, Round mode) {
      return sum(product(numbers[0], numbers[1]), numbers[2], mode);
    });
  }
  const unsigned __int128 whole = product_of(type, operands[0], operands[1]);
  if (instance.has(Modifier::kWide)) {
    return {Expected::exactly(low_bits(static_cast<Word>(whole) + operands[2], 2 * bits_of(type)))};
  }
  const auto part = static_cast<Word>(instance.has(Modifier::kHi) ? whole >> bits_of(type) : whole);
  if (instance.has(Modifier::kCc) || instance.opcode == Opcode::k_madc) {
    return carried(type, part, operands[2], instance.opcode == Opcode::k_madc ? operands[3] : 0);
  }
  if (instance.has(Modifier::kSat)) {
    return {integer(type, clamped(type, value_of(type, part) + value_of(type, operands[2])))};
  }
  return {integer(type, static_cast<__int128>(part) + operands[2])};
}

// The product of the low 24 bits has 48: .lo are the low 32 of them, .hi the high 32.
__int128 product24(const Instance& instance, Operands operands) {
  const auto factor = [&](Word word) {
    const __int128 low = static_cast<__int128>(word & 0xFFFFFF);
    return ptx::is_signed(instance.type()) && low >= 0x800000 ? low - 0x1000000 : low;
  };
  const __int128 whole = factor(operands[0]) * factor(operands[1]);
  const __int128 part = instance.has(Modifier::kHi) ? whole >> 16 : whole;
  return value_of(instance.type(), static_cast<Word>(part));
}

Outcome multiply24(const Instance& instance, Operands operands) {
  return {integer(instance.type(), product24(instance, operands))};
}

Outcome multiply_add24(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  const __int128 value = product24(instance, operands) + value_of(type, operands[2]);
  return {integer(type, instance.has(Modifier::kSat) ? clamped(type, value) : value)};
}

Outcome sum_of_difference(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  const __int128 difference = value_of(type, operands[0]) - value_of(type, operands[1]);
  return {integer(type, (difference < 0 ? -difference : difference) + value_of(type, operands[2]))};
}

Outcome remainder(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  if (operands[1] == 0) {
    return {integer(type, static_cast<__int128>(operands[0]))};
  }
  return {integer(type, value_of(type, operands[0]) % value_of(type, operands[1]))};
}

// abs and neg change the sign alone, of NaNs as well.
template <typename Change>
Outcome of_sign(const Instance& instance, Operands operands, Change change) {
  const Format format = format_of(instance.type());
  const auto scalar = [&](Operands parts) {
    const Word bits = instance.has(Modifier::kFtz) ? format.flushed(parts[0]) : parts[0];
    return change(bits, format.sign());
  };
  return {Expected::exactly(ptx::is_packed(instance.type()) ? of_halves(operands, scalar)
                                                            : scalar(operands))};
}

Outcome absolute(const Instance& instance, Operands operands) {
  if (ptx::is_float(instance.type())) {
    return of_sign(instance, operands, [](Word bits, Word sign) { return bits & ~sign; });
  }
  const __int128 value = value_of(instance.type(), operands[0]);
  return {integer(instance.type(), value < 0 ? -value : value)};
}

Outcome negate(const Instance& instance, Operands operands) {
  if (ptx::is_float(instance.type())) {
    return of_sign(instance, operands, [](Word bits, Word sign) { return bits ^ sign; });
  }
  return {integer(instance.type(), -value_of(instance.type(), operands[0]))};
}

// Floating point with -0 below +0, as a signed integer orders it.
std::int64_t rank(Word bits, Format format) {
  const auto magnitude = static_cast<std::int64_t>(bits & (format.sign() - 1));
  return (bits & format.sign()) != 0 ? -1 - magnitude : magnitude;
}

Word extreme(const Instance& instance, Format format, Word a, Word b) {
  if (instance.has(Modifier::kFtz)) {
    a = format.flushed(a);
    b = format.flushed(b);
  }
  const Word signs = (a ^ b) & format.sign();
  if (instance.has(Modifier::kXorsign)) {
    a &= ~format.sign();
    b &= ~format.sign();
  }
  const bool propagates = instance.has(Modifier::kPropagateNan);
  Word result = 0;
  if (format.is_nan(a) || format.is_nan(b)) {
    if (propagates || (format.is_nan(a) && format.is_nan(b))) {
      return format.nan();
    }
    result = format.is_nan(a) ? b : a;
  } else {
    const bool first = rank(a, format) < rank(b, format);
    result = first == (instance.opcode == Opcode::k_min) ? a : b;
  }
  return instance.has(Modifier::kXorsign) ? result | signs : result;
}

Outcome extreme_of(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  if (ptx::is_float(type)) {
    const auto scalar = [&](Operands parts) {
      return extreme(instance, format_of(type), parts[0], parts[1]);
    };
    return {
        Expected::exactly(ptx::is_packed(type) ? of_halves(operands, scalar) : scalar(operands))};
  }
  const Type element = type == Type::kU16x2 ? Type::kU16 : type == Type::kS16x2 ? Type::kS16 : type;
  const auto scalar = [&](Operands parts) {
    const __int128 a = value_of(element, parts[0]);
    const __int128 b = value_of(element, parts[1]);
    const __int128 value = instance.opcode == Opcode::k_min ? std::min(a, b) : std::max(a, b);
    return low_bits(static_cast<Word>(instance.has(Modifier::kRelu) && value < 0 ? 0 : value),
                    bits_of(element));
  };
  return {Expected::exactly(ptx::is_packed(type) ? of_halves(operands, scalar) : scalar(operands))};
}

Outcome copy_sign(const Instance& instance, Operands operands) {
  const Word sign = format_of(instance.type()).sign();
  return {Expected::exactly((operands[0] & sign) | (operands[1] & ~sign))};
}

Outcome is_of_class(const Instance& instance, Operands operands) {
  const Format format = format_of(instance.type());
  const Word bits = operands[0];
  const bool finite = !format.is_nan(bits) && !format.is_infinite(bits);
  bool holds = false;
  switch (instance.first_of({Modifier::kFinite, Modifier::kInfinite, Modifier::kNumber,
                             Modifier::kNotanumber, Modifier::kNormal, Modifier::kSubnormal})) {
  case Modifier::kFinite:
    holds = finite;
    break;
  case Modifier::kInfinite:
    holds = format.is_infinite(bits);
    break;
  case Modifier::kNumber:
    holds = !format.is_nan(bits);
    break;
  case Modifier::kNotanumber:
    holds = format.is_nan(bits);
    break;
  case Modifier::kNormal:
    holds = finite && !format.is_subnormal(bits);
    break;
  default:
    holds = format.is_subnormal(bits);
    break;
  }
  return {Expected::exactly(holds ? 1 : 0)};
}

constexpr Reference kReferences[] = {
    {Opcode::k_add, add},
    {Opcode::k_addc, add},
    {Opcode::k_sub, subtract},
    {Opcode::k_subc, subtract},
    {Opcode::k_mul, multiply},
    {Opcode::k_mul24, multiply24},
    {Opcode::k_mad, multiply_add},
    {Opcode::k_madc, multiply_add},
    {Opcode::k_mad24, multiply_add24},
    {Opcode::k_fma, multiply_add},
    {Opcode::k_sad, sum_of_difference},
    {Opcode::k_rem, remainder},
    {Opcode::k_abs, absolute},
    {Opcode::k_neg, negate},
    {Opcode::k_min, extreme_of},
    {Opcode::k_max, extreme_of},
    {Opcode::k_copysign, copy_sign},
    {Opcode::k_testp, is_of_class},
};

} // namespace

// By zero the ISA leaves open what the quotient is; that of GPUs is all ones, and the remainder the
// dividend.
Outcome exact_quotient(const Instance& instance, Operands operands) {
  const Type type = instance.type();
  if (ptx::is_float(type)) {
    return floating(instance, operands,
                    [](const auto& numbers, Round) { return quotient(numbers[0], numbers[1]); });
  }
  if (operands[1] == 0) {
    return {integer(type, -1)};
  }
  return {integer(type, value_of(type, operands[0]) / value_of(type, operands[1]))};
}

Outcome exact_reciprocal(const Instance& instance, Operands operands) {
  return floating(instance, operands, [](const auto& numbers, Round) {
    return quotient(Number::integer(1), numbers[0]);
  });
}

Outcome exact_root(const Instance& instance, Operands operands) {
  return floating(instance, operands,
                  [](const auto& numbers, Round) { return square_root(numbers[0]); });
}

std::span<const Reference> arithmetic_references() {
  return kReferences;
}

} // namespace gantry::simt::instructions
