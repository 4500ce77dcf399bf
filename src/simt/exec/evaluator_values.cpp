// Steps whose one result is a function of their lane's operands alone.
#include "simt/exec/evaluator.h"

#include <bit>
#include <cmath>

namespace gantry::simt::exec {

namespace {

using Word = std::uint64_t;

template <typename Function>
void each_lane(Evaluator&, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* a = group.read(step.operands[0]);
  const Word* b = group.read(step.operands[1]);
  const Word* c = group.read(step.operands[2]);
  Word* result = group.frame->column(step.result);
  for_lanes(active,
            [&](unsigned lane) { result[lane] = Function::of(step, a[lane], b[lane], c[lane]); });
}

Word ones(unsigned width) {
  return ~Word{0} >> (64 - width);
}

Word fitted(Word value, const LaneStep& step) {
  return value & ones(step.width);
}

std::int64_t signed_number(Word value, const LaneStep& step) {
  const unsigned unused = 64U - step.width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

Word in_range(__int128 value, const LaneStep& step) {
  const __int128 top = ones(step.width) >> 1;
  const __int128 clamped = value > top ? top : value < -top - 1 ? -top - 1 : value;
  return fitted(static_cast<Word>(clamped), step);
}

template <typename T>
unsigned relation(T a, T b) {
  return a == b ? kIsEqual : a > b ? kIsGreater : a < b ? kIsLess : kIsUnordered;
}

// Integers. The operands of a step are `a`, `b` and `c`, with zeros above their width; `x` and `y`
// are the first two as numbers with a sign.
#define GANTRY_INTEGER(Name, expression)                                                           \
  struct Name {                                                                                    \
    static Word of(const LaneStep& step, [[maybe_unused]] Word a, [[maybe_unused]] Word b,         \
                   [[maybe_unused]] Word c) {                                                      \
      [[maybe_unused]] const auto x = [&] { return signed_number(a, step); };                      \
      [[maybe_unused]] const auto y = [&] { return signed_number(b, step); };                      \
      return static_cast<Word>(expression);                                                        \
    }                                                                                              \
  };

GANTRY_INTEGER(Add, fitted(a + b, step))
GANTRY_INTEGER(Sub, fitted(a - b, step))
GANTRY_INTEGER(Mul, fitted(a* b, step))
GANTRY_INTEGER(UDiv, a / b)
GANTRY_INTEGER(SDiv, fitted(static_cast<Word>(x() / y()), step))
GANTRY_INTEGER(URem, a % b)
GANTRY_INTEGER(SRem, fitted(static_cast<Word>(x() % y()), step))
GANTRY_INTEGER(Shl, fitted(a << (b & 63), step))
GANTRY_INTEGER(LShr, a >> (b & 63))
GANTRY_INTEGER(AShr, fitted(static_cast<Word>(x() >> (b & 63)), step))
GANTRY_INTEGER(And, (static_cast<void>(step), a& b))
GANTRY_INTEGER(Or, (static_cast<void>(step), a | b))
GANTRY_INTEGER(Xor, (static_cast<void>(step), a ^ b))
GANTRY_INTEGER(UMin, std::min(a, b))
GANTRY_INTEGER(UMax, std::max(a, b))
GANTRY_INTEGER(SMin, x() < y() ? a : b)
GANTRY_INTEGER(SMax, x() > y() ? a : b)
GANTRY_INTEGER(AddSaturated, in_range(__int128{x()} + y(), step))
GANTRY_INTEGER(SubSaturated, in_range(__int128{x()} - y(), step))
GANTRY_INTEGER(SubSaturatedUnsigned, a > b ? a - b : 0)
GANTRY_INTEGER(AddOverflows, fitted(a + b, step) < a)
GANTRY_INTEGER(SubOverflows, a < b)
GANTRY_INTEGER(Compare, (step.detail & relation(a, b)) != 0)
GANTRY_INTEGER(CompareSigned, (step.detail & relation(x(), y())) != 0)
GANTRY_INTEGER(Abs, fitted(x() < 0 ? 0 - a : a, step))
GANTRY_INTEGER(Population, std::popcount(a))
GANTRY_INTEGER(LeadingZeros, std::countl_zero(a) - (64 - step.width))
GANTRY_INTEGER(TrailingZeros, std::min<Word>(static_cast<Word>(std::countr_zero(a)), step.width))
GANTRY_INTEGER(ReverseBits, __builtin_bitreverse64(a) >> (64 - step.width))
GANTRY_INTEGER(SignExtend, static_cast<Word>(x()) & ones(step.to))
GANTRY_INTEGER(Truncate, fitted(a, step))
GANTRY_INTEGER(SignWord, x() < 0 ? ~Word{0} : 0)
GANTRY_INTEGER(Select, (a & 1) != 0 ? b : c)
GANTRY_INTEGER(Copy, a)
GANTRY_INTEGER(LoadPart, fitted(a >> step.detail, step))
GANTRY_INTEGER(StorePart, (a & ~(ones(step.width) << step.detail)) | fitted(b, step) << step.detail)
#undef GANTRY_INTEGER

/// Of two numbers of 128 bits, each in two words.
void multiply_high(Evaluator&, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* words[4];
  for (unsigned i = 0; i < 4; ++i) {
    words[i] = group.read(step.operands[i]);
  }
  Word* result = group.frame->column(step.result);
  for_lanes(active, [&](unsigned lane) {
    using Wide = unsigned __int128;
    const Wide low = Wide{words[0][lane]} * words[2][lane];
    result[lane] = static_cast<Word>(low >> 64) + words[0][lane] * words[3][lane] +
                   words[1][lane] * words[2][lane];
  });
}

// Numbers in floating point.

template <typename T>
struct Bits;
template <>
struct Bits<_Float16> {
  using Type = std::uint16_t;
  static constexpr Word kNan = 0x7FFF;
};
template <>
struct Bits<float> {
  using Type = std::uint32_t;
  static constexpr Word kNan = 0x7FFF'FFFF;
};
template <>
struct Bits<double> {
  using Type = std::uint64_t;
  static constexpr Word kNan = 0x7FF8'0000'0000'0000;
};

template <typename T>
T number(Word word) {
  return std::bit_cast<T>(static_cast<typename Bits<T>::Type>(word));
}

template <typename T>
Word word_of(T number) {
  return std::bit_cast<typename Bits<T>::Type>(number);
}

// What the host has functions for: of 16 bits none.
float wide(_Float16 number) {
  return number;
}
float wide(float number) {
  return number;
}
double wide(double number) {
  return number;
}

/// The lesser of two numbers, the negative zero of two zeros.
template <typename T>
T lesser(T a, T b) {
  return a < b || (a == b && std::signbit(wide(a))) ? a : b;
}
template <typename T>
T greater(T a, T b) {
  return a > b || (a == b && !std::signbit(wide(a))) ? a : b;
}
template <typename T>
T either_nan(T a, T b) {
  return a != a ? a : b;
}

#define GANTRY_FLOAT(Name, expression)                                                             \
  template <typename T>                                                                            \
  struct Name {                                                                                    \
    static Word of(const LaneStep& step, Word first, [[maybe_unused]] Word second,                 \
                   [[maybe_unused]] Word third) {                                                  \
      static_cast<void>(step);                                                                     \
      const T a = number<T>(first);                                                                \
      [[maybe_unused]] const T b = number<T>(second);                                              \
      return expression;                                                                           \
    }                                                                                              \
  };

GANTRY_FLOAT(FAdd, word_of<T>(a + b))
GANTRY_FLOAT(FSub, word_of<T>(a - b))
GANTRY_FLOAT(FMul, word_of<T>(a* b))
GANTRY_FLOAT(FDiv, word_of<T>(a / b))
GANTRY_FLOAT(FMinimum, word_of<T>(a != a || b != b ? either_nan(a, b) : lesser(a, b)))
GANTRY_FLOAT(FMaximum, word_of<T>(a != a || b != b ? either_nan(a, b) : greater(a, b)))
GANTRY_FLOAT(FMinimumNumber, word_of<T>(a != a ? b : b != b ? a : lesser(a, b)))
GANTRY_FLOAT(FMaximumNumber, word_of<T>(a != a ? b : b != b ? a : greater(a, b)))
GANTRY_FLOAT(FCompare, (step.detail & relation(a, b)) != 0)
GANTRY_FLOAT(FMa, word_of<T>(static_cast<T>(std::fma(wide(a), wide(b), wide(number<T>(third))))))
GANTRY_FLOAT(FSqrt, word_of<T>(static_cast<T>(std::sqrt(wide(a)))))
GANTRY_FLOAT(FRoundEven, word_of<T>(static_cast<T>(__builtin_roundeven(wide(a)))))
GANTRY_FLOAT(FTruncate, word_of<T>(static_cast<T>(std::trunc(wide(a)))))
GANTRY_FLOAT(FFloor, word_of<T>(static_cast<T>(std::floor(wide(a)))))
GANTRY_FLOAT(FCeiling, word_of<T>(static_cast<T>(std::ceil(wide(a)))))
GANTRY_FLOAT(FCanonical, a != a ? Bits<T>::kNan : first)
#undef GANTRY_FLOAT

struct FCopySign {
  static Word of(const LaneStep& step, Word a, Word b, Word) {
    const Word sign = Word{1} << (step.width - 1);
    return (a & ~sign) | (b & sign);
  }
};
struct FAbsolute {
  static Word of(const LaneStep& step, Word a, Word, Word) { return a & (ones(step.width) >> 1); }
};

template <typename From, typename To>
struct FConvert {
  static Word of(const LaneStep&, Word a, Word, Word) {
    return word_of<To>(static_cast<To>(number<From>(a)));
  }
};
template <typename T>
struct FFromSigned {
  static Word of(const LaneStep& step, Word a, Word, Word) {
    return word_of<T>(static_cast<T>(signed_number(a, step)));
  }
};
template <typename T>
struct FFromUnsigned {
  static Word of(const LaneStep&, Word a, Word, Word) { return word_of<T>(static_cast<T>(a)); }
};
template <typename T>
struct FToSigned {
  static Word of(const LaneStep& step, Word a, Word, Word) {
    const T limit = static_cast<T>(Word{1} << (step.to - 1));
    const T value = number<T>(a);
    const Word top = ones(step.to) >> 1;
    return value != value    ? 0
           : value >= limit  ? top
           : value <= -limit ? top + 1
                             : static_cast<Word>(static_cast<std::int64_t>(value)) & ones(step.to);
  }
};
template <typename T>
struct FToUnsigned {
  static Word of(const LaneStep& step, Word a, Word, Word) {
    const T limit = static_cast<T>(Word{1} << (step.to - 1)) * 2;
    const T value = number<T>(a);
    return !(value > 0) ? 0 : value >= limit ? ones(step.to) : static_cast<Word>(value);
  }
};

template <template <typename> typename Function>
StepFunction by_format(unsigned width) {
  switch (width) {
  case 16:
    return each_lane<Function<_Float16>>;
  case 32:
    return each_lane<Function<float>>;
  default:
    return each_lane<Function<double>>;
  }
}

StepFunction conversion(unsigned from, unsigned to) {
  if (from == 16) {
    return to == 32 ? each_lane<FConvert<_Float16, float>> : each_lane<FConvert<_Float16, double>>;
  }
  if (from == 32) {
    return to == 16 ? each_lane<FConvert<float, _Float16>> : each_lane<FConvert<float, double>>;
  }
  return each_lane<FConvert<double, float>>;
}

} // namespace

StepFunction value_function(const LaneStep& step) {
  switch (step.instruction) {
#define GANTRY_CASE(Name)                                                                          \
  case LaneInstruction::k##Name:                                                                   \
    return each_lane<Name>;
    GANTRY_CASE(Add)
    GANTRY_CASE(Sub)
    GANTRY_CASE(Mul)
    GANTRY_CASE(UDiv)
    GANTRY_CASE(SDiv)
    GANTRY_CASE(URem)
    GANTRY_CASE(SRem)
    GANTRY_CASE(Shl)
    GANTRY_CASE(LShr)
    GANTRY_CASE(AShr)
    GANTRY_CASE(And)
    GANTRY_CASE(Or)
    GANTRY_CASE(Xor)
    GANTRY_CASE(UMin)
    GANTRY_CASE(UMax)
    GANTRY_CASE(SMin)
    GANTRY_CASE(SMax)
    GANTRY_CASE(AddSaturated)
    GANTRY_CASE(SubSaturated)
    GANTRY_CASE(SubSaturatedUnsigned)
    GANTRY_CASE(AddOverflows)
    GANTRY_CASE(SubOverflows)
    GANTRY_CASE(Compare)
    GANTRY_CASE(CompareSigned)
    GANTRY_CASE(Abs)
    GANTRY_CASE(Population)
    GANTRY_CASE(LeadingZeros)
    GANTRY_CASE(TrailingZeros)
    GANTRY_CASE(ReverseBits)
    GANTRY_CASE(SignExtend)
    GANTRY_CASE(Truncate)
    GANTRY_CASE(SignWord)
    GANTRY_CASE(Select)
    GANTRY_CASE(Copy)
    GANTRY_CASE(LoadPart)
    GANTRY_CASE(StorePart)
    GANTRY_CASE(FCopySign)
    GANTRY_CASE(FAbsolute)
#undef GANTRY_CASE
#define GANTRY_CASE(Name)                                                                          \
  case LaneInstruction::k##Name:                                                                   \
    return by_format<Name>(step.width);
    GANTRY_CASE(FAdd)
    GANTRY_CASE(FSub)
    GANTRY_CASE(FMul)
    GANTRY_CASE(FDiv)
    GANTRY_CASE(FMinimum)
    GANTRY_CASE(FMaximum)
    GANTRY_CASE(FMinimumNumber)
    GANTRY_CASE(FMaximumNumber)
    GANTRY_CASE(FCompare)
    GANTRY_CASE(FMa)
    GANTRY_CASE(FSqrt)
    GANTRY_CASE(FRoundEven)
    GANTRY_CASE(FTruncate)
    GANTRY_CASE(FFloor)
    GANTRY_CASE(FCeiling)
    GANTRY_CASE(FCanonical)
    GANTRY_CASE(FToSigned)
    GANTRY_CASE(FToUnsigned)
#undef GANTRY_CASE
  case LaneInstruction::kFFromSigned:
    return by_format<FFromSigned>(step.to);
  case LaneInstruction::kFFromUnsigned:
    return by_format<FFromUnsigned>(step.to);
  case LaneInstruction::kFConvert:
    return conversion(step.width, step.to);
  case LaneInstruction::kMulHigh:
    return multiply_high;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec
