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
  give(group, step, active,
       [&](unsigned lane) -> Word { return Function::of(step, a[lane], b[lane], c[lane]); });
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

/// Of two numbers of 128 bits, each in two words.
void multiply_high(Evaluator&, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* words[4];
  for (unsigned i = 0; i < 4; ++i) {
    words[i] = group.read(step.operands[i]);
  }
  give(group, step, active, [&](unsigned lane) -> Word {
    using Wide = unsigned __int128;
    const Wide low = Wide{words[0][lane]} * words[2][lane];
    return static_cast<Word>(low >> 64) + words[0][lane] * words[3][lane] +
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
  return std::bit_cast<T>(static_cast<Bits<T>::Type>(word));
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
bool is_nan(T number) {
  return std::isnan(wide(number));
}

template <typename T>
constexpr Word sign() {
  return Word{1} << (8 * sizeof(T) - 1);
}

template <typename T>
Word converted(T value, unsigned width) {
  return width == 16   ? word_of(static_cast<_Float16>(value))
         : width == 32 ? word_of(static_cast<float>(value))
                       : word_of(static_cast<double>(value));
}

/// Clamped to integers of so many bits; a NaN is zero.
template <typename T>
Word to_signed(T value, unsigned width) {
  const T limit = static_cast<T>(Word{1} << (width - 1));
  const Word top = ones(width) >> 1;
  return is_nan(value)     ? 0
         : value >= limit  ? top
         : value <= -limit ? top + 1
                           : static_cast<Word>(static_cast<std::int64_t>(value)) & ones(width);
}
template <typename T>
Word to_unsigned(T value, unsigned width) {
  const T limit = static_cast<T>(Word{1} << (width - 1)) * 2;
  return !(value > 0) ? 0 : value >= limit ? ones(width) : static_cast<Word>(value);
}

#define GANTRY_LANE_INTEGER(name, kind, llvm, value)                                               \
  template <typename T = void>                                                                     \
  struct name {                                                                                    \
    static Word of([[maybe_unused]] const LaneStep& step, [[maybe_unused]] Word a,                 \
                   [[maybe_unused]] Word b, [[maybe_unused]] Word c) {                             \
      [[maybe_unused]] const auto x = [&] { return signed_number(a, step); };                      \
      [[maybe_unused]] const auto y = [&] { return signed_number(b, step); };                      \
      return static_cast<Word>(value);                                                             \
    }                                                                                              \
  };
#define GANTRY_LANE_TO_FLOAT GANTRY_LANE_INTEGER
#define GANTRY_LANE_FLOAT(name, kind, llvm, value)                                                 \
  template <typename T>                                                                            \
  struct name {                                                                                    \
    static Word of([[maybe_unused]] const LaneStep& step, Word first,                              \
                   [[maybe_unused]] Word second, [[maybe_unused]] Word third) {                    \
      [[maybe_unused]] const T a = number<T>(first);                                               \
      [[maybe_unused]] const T b = number<T>(second);                                              \
      return value;                                                                                \
    }                                                                                              \
  };
#include "simt/exec/one_lane.def"

template <template <typename> typename Function>
StepFunction by_format(unsigned width) {
  return width == 16   ? each_lane<Function<_Float16>>
         : width == 32 ? each_lane<Function<float>>
                       : each_lane<Function<double>>;
}

} // namespace

StepFunction value_function(const LaneStep& step) {
  switch (step.instruction) {
#define GANTRY_LANE_INTEGER(name, kind, llvm, value)                                               \
  case LaneInstruction::k##name:                                                                   \
    return each_lane<name<>>;
#define GANTRY_LANE_FLOAT(name, kind, llvm, value)                                                 \
  case LaneInstruction::k##name:                                                                   \
    return by_format<name>(step.width);
#define GANTRY_LANE_TO_FLOAT(name, kind, llvm, value)                                              \
  case LaneInstruction::k##name:                                                                   \
    return by_format<name>(step.to);
#include "simt/exec/one_lane.def"
  case LaneInstruction::kMulHigh:
    return multiply_high;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec
