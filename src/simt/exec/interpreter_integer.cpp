// Integer arithmetic.
#include "simt/exec/interpreter_machine.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Word = std::uint64_t;

template <typename T>
using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;

template <typename T>
Word saturated(Wide<T> value) {
  return as_bits(static_cast<T>(
      std::clamp<Wide<T>>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())));
}

template <typename T>
T value_of(Word word) {
  return static_cast<T>(word);
}

template <typename T>
T low_product(Word a, Word b) {
  return static_cast<T>(a * b);
}

template <typename T>
T high_product(Word a, Word b) {
  const Wide<T> product = Wide<T>{value_of<T>(a)} * value_of<T>(b);
  return static_cast<T>(product >> (8 * sizeof(T)));
}

/// Of types of 16 and 32 bits; the product has twice the width.
template <typename T>
Word wide_product(Word a, Word b) {
  const std::int64_t product = std::int64_t{value_of<T>(a)} * value_of<T>(b);
  return static_cast<Word>(product) & (sizeof(T) == 2 ? 0xFFFF'FFFF : ~Word{0});
}
template <>
Word wide_product<std::uint32_t>(Word a, Word b) {
  return Word{value_of<std::uint32_t>(a)} * value_of<std::uint32_t>(b);
}

template <typename T>
struct Add {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    return as_bits(static_cast<T>(a + b));
  }
};
template <typename T>
struct Subtract {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    return as_bits(static_cast<T>(a - b));
  }
};
template <typename T>
struct MultiplyLow {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    return as_bits(low_product<T>(a, b));
  }
};
template <typename T>
struct MultiplyHigh {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    return as_bits(high_product<T>(a, b));
  }
};
template <typename T>
struct MultiplyAddLow {
  static Word apply(const Operation&, Word a, Word b, Word c, Word) {
    return as_bits(static_cast<T>(low_product<T>(a, b) + c));
  }
};
template <typename T>
struct MultiplyAddHigh {
  static Word apply(const Operation&, Word a, Word b, Word c, Word) {
    return as_bits(static_cast<T>(static_cast<Word>(high_product<T>(a, b)) + c));
  }
};
template <typename T>
struct SumOfDifference {
  static Word apply(const Operation&, Word a, Word b, Word c, Word) {
    const T x = value_of<T>(a);
    const T y = value_of<T>(b);
    return as_bits(static_cast<T>(c + (x < y ? b - a : a - b)));
  }
};
template <typename T>
struct Divide {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    const T x = value_of<T>(a);
    const T y = value_of<T>(b);
    if (y == 0) {
      return as_bits(static_cast<T>(-1));
    }
    if (std::is_signed_v<T> && y == static_cast<T>(-1)) {
      return as_bits(static_cast<T>(-a));
    }
    return as_bits(static_cast<T>(x / y));
  }
};
template <typename T>
struct Remainder {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    const T x = value_of<T>(a);
    const T y = value_of<T>(b);
    if (y == 0) {
      return as_bits(x);
    }
    if (std::is_signed_v<T> && y == static_cast<T>(-1)) {
      return 0;
    }
    return as_bits(static_cast<T>(x % y));
  }
};
template <typename T>
struct Absolute {
  static Word apply(const Operation&, Word a, Word, Word, Word) {
    return as_bits(static_cast<T>(value_of<T>(a) < 0 ? -a : a));
  }
};
template <typename T>
struct Negate {
  static Word apply(const Operation&, Word a, Word, Word, Word) {
    return as_bits(static_cast<T>(-a));
  }
};
template <typename T>
struct Minimum {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    return as_bits(std::min(value_of<T>(a), value_of<T>(b)));
  }
};
template <typename T>
struct Maximum {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    return as_bits(std::max(value_of<T>(a), value_of<T>(b)));
  }
};

Word add_saturated(const Operation&, Word a, Word b, Word, Word) {
  return saturated<std::int32_t>(__int128{value_of<std::int32_t>(a)} + value_of<std::int32_t>(b));
}
Word subtract_saturated(const Operation&, Word a, Word b, Word, Word) {
  return saturated<std::int32_t>(__int128{value_of<std::int32_t>(a)} - value_of<std::int32_t>(b));
}
Word multiply_add_high_saturated(const Operation&, Word a, Word b, Word c, Word) {
  return saturated<std::int32_t>(__int128{high_product<std::int32_t>(a, b)} +
                                 value_of<std::int32_t>(c));
}
Word minimum_rectified(const Operation&, Word a, Word b, Word, Word) {
  return as_bits(std::max(0, std::min(value_of<std::int32_t>(a), value_of<std::int32_t>(b))));
}
Word maximum_rectified(const Operation&, Word a, Word b, Word, Word) {
  return as_bits(std::max(0, std::max(value_of<std::int32_t>(a), value_of<std::int32_t>(b))));
}
Word add_packed(const Operation&, Word a, Word b, Word, Word) {
  return ((a & 0xFFFF'0000) + (b & 0xFFFF'0000) & 0xFFFF'0000) | (a + b & 0xFFFF);
}
Word extreme_packed(const Operation& operation, Word a, Word b, Word, Word) {
  return compute(operation.arithmetic, a, b);
}

template <typename T>
Word multiply_wide(const Operation&, Word a, Word b, Word, Word) {
  return wide_product<T>(a, b);
}
template <typename T>
Word multiply_add_wide(const Operation&, Word a, Word b, Word c, Word) {
  return wide_product<T>(a, b) + c & (sizeof(T) == 2 ? 0xFFFF'FFFF : ~Word{0});
}

/// The product of the low 24 bits of each, 48 bits wide.
std::int64_t product24(Type type, Word a, Word b) {
  const auto part = [&](Word word) {
    const auto low = static_cast<std::int64_t>(word << 40);
    return ptx::is_signed(type) ? low >> 40 : static_cast<std::int64_t>(word & 0xFF'FFFF);
  };
  return part(a) * part(b);
}
Word multiply24_low(const Operation& operation, Word a, Word b, Word c, Word) {
  return static_cast<std::uint32_t>(static_cast<Word>(product24(operation.type, a, b)) + c);
}
Word multiply24_high(const Operation& operation, Word a, Word b, Word c, Word) {
  const std::int64_t high = product24(operation.type, a, b) >> 16;
  if (operation.detail != 0) {
    return saturated<std::int32_t>(__int128{static_cast<std::int32_t>(high)} +
                                   value_of<std::int32_t>(c));
  }
  return static_cast<std::uint32_t>(static_cast<Word>(high) + c);
}

std::int64_t element(Type type, Word word, unsigned index, unsigned width) {
  const Word bits = word >> (index * width) & ((Word{1} << width) - 1);
  const bool negative = ptx::is_signed(type) && (bits >> (width - 1) & 1) != 0;
  return static_cast<std::int64_t>(bits) - (negative ? std::int64_t{1} << width : 0);
}
Word dot_of_bytes(const Operation& operation, Word a, Word b, Word c, Word) {
  std::int64_t sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    sum += element(operation.type, a, i, 8) * element(operation.second, b, i, 8);
  }
  return static_cast<std::uint32_t>(static_cast<Word>(sum) + c);
}
Word dot_of_halves(const Operation& operation, Word a, Word b, Word c, Word) {
  std::int64_t sum = 0;
  for (unsigned i = 0; i < 2; ++i) {
    sum += element(operation.type, a, i, 16) *
           element(operation.second, b, i + (operation.detail != 0 ? 2 : 0), 8);
  }
  return static_cast<std::uint32_t>(static_cast<Word>(sum) + c);
}

Handler wide_handler(Type type, bool adds) {
  switch (type) {
  case Type::kU16:
    return adds ? each_lane<multiply_add_wide<std::uint16_t>>
                : each_lane<multiply_wide<std::uint16_t>>;
  case Type::kS16:
    return adds ? each_lane<multiply_add_wide<std::int16_t>>
                : each_lane<multiply_wide<std::int16_t>>;
  case Type::kU32:
    return adds ? each_lane<multiply_add_wide<std::uint32_t>>
                : each_lane<multiply_wide<std::uint32_t>>;
  default:
    return adds ? each_lane<multiply_add_wide<std::int32_t>>
                : each_lane<multiply_wide<std::int32_t>>;
  }
}

/// The carry that an operation takes in and gives: add.cc, addc, sub.cc, subc, mad.cc, madc.
template <typename T>
void with_carry(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch[3];
  const std::uint64_t* operands[3] = {};
  for (std::size_t i = 0; i < operation.sources.size(); ++i) {
    operands[i] = machine.read(group, operation.sources[i], scratch[i]);
  }
  const Opcode opcode = operation.instruction->opcode;
  const bool subtracts = opcode == Opcode::k_sub || opcode == Opcode::k_subc;
  const bool multiplies = opcode == Opcode::k_mad || opcode == Opcode::k_madc;
  const bool takes =
      opcode == Opcode::k_addc || opcode == Opcode::k_subc || opcode == Opcode::k_madc;
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  LaneMask carries = 0;
  for_lanes(active, [&](unsigned lane) {
    T a = value_of<T>(operands[0][lane]);
    T b = value_of<T>(operands[1][lane]);
    if (multiplies) {
      const unsigned __int128 product =
          ptx::is_signed(operation.type)
              ? static_cast<unsigned __int128>(__int128{static_cast<std::make_signed_t<T>>(a)} *
                                               static_cast<std::make_signed_t<T>>(b))
              : static_cast<unsigned __int128>(a) * b;
      a = static_cast<T>(operation.has(Modifier::kHi) ? product >> (8 * sizeof(T)) : product);
      b = value_of<T>(operands[2][lane]);
    }
    const T in = takes ? static_cast<T>(group.frame->carry >> lane & 1) : T{0};
    const unsigned __int128 sum = subtracts ? static_cast<unsigned __int128>(a) - b - in
                                            : static_cast<unsigned __int128>(a) + b + in;
    result[lane] = as_bits(static_cast<T>(sum));
    carries |= static_cast<LaneMask>(sum >> (8 * sizeof(T)) & 1) << lane;
  });
  if (operation.has(Modifier::kCc)) {
    group.frame->carry = (group.frame->carry & ~active) | carries;
  }
}

} // namespace

Handler carry_handler(const Operation& operation) {
  switch (operation.instruction->opcode) {
  case Opcode::k_add:
  case Opcode::k_sub:
  case Opcode::k_mad:
    if (!operation.has(Modifier::kCc)) {
      return nullptr;
    }
    break;
  case Opcode::k_addc:
  case Opcode::k_subc:
  case Opcode::k_madc:
    break;
  default:
    return nullptr;
  }
  return ptx::size_of(operation.type) == 8 ? with_carry<std::uint64_t> : with_carry<std::uint32_t>;
}

Handler integer_handler(Operation& operation) {
  const Type type = operation.type;
  if (!ptx::is_integer(type)) {
    return nullptr;
  }
  const bool packed = ptx::is_packed(type);
  const bool high = operation.has(Modifier::kHi);
  const bool saturates = operation.has(Modifier::kSat);
  const bool rectifies = operation.has(Modifier::kRelu);
  switch (operation.instruction->opcode) {
  case Opcode::k_add:
    return packed      ? each_lane<add_packed>
           : saturates ? each_lane<add_saturated>
                       : for_integer<Add>(type);
  case Opcode::k_sub:
    return saturates ? each_lane<subtract_saturated> : for_integer<Subtract>(type);
  case Opcode::k_mul:
    return operation.has(Modifier::kWide) ? wide_handler(type, false)
           : high                         ? for_integer<MultiplyHigh>(type)
                                          : for_integer<MultiplyLow>(type);
  case Opcode::k_mad:
    return operation.has(Modifier::kWide) ? wide_handler(type, true)
           : saturates                    ? each_lane<multiply_add_high_saturated>
           : high                         ? for_integer<MultiplyAddHigh>(type)
                                          : for_integer<MultiplyAddLow>(type);
  case Opcode::k_mul24:
  case Opcode::k_mad24:
    operation.detail = saturates ? 1 : 0;
    return high ? each_lane<multiply24_high> : each_lane<multiply24_low>;
  case Opcode::k_sad:
    return for_integer<SumOfDifference>(type);
  case Opcode::k_div:
    return for_integer<Divide>(type);
  case Opcode::k_rem:
    return for_integer<Remainder>(type);
  case Opcode::k_abs:
    return for_integer<Absolute>(type);
  case Opcode::k_neg:
    return for_integer<Negate>(type);
  case Opcode::k_min:
  case Opcode::k_max: {
    const bool minimum = operation.instruction->opcode == Opcode::k_min;
    if (packed) {
      operation.arithmetic.operation = minimum ? Operator::kMin : Operator::kMax;
      operation.arithmetic.type = type;
      operation.arithmetic.relu = rectifies;
      return each_lane<extreme_packed>;
    }
    if (rectifies) {
      return minimum ? each_lane<minimum_rectified> : each_lane<maximum_rectified>;
    }
    return minimum ? for_integer<Minimum>(type) : for_integer<Maximum>(type);
  }
  case Opcode::k_dp4a:
    return each_lane<dot_of_bytes>;
  case Opcode::k_dp2a:
    operation.detail = high ? 1 : 0;
    return each_lane<dot_of_halves>;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec::interpreter
