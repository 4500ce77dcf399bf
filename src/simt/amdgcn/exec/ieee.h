// Numbers of IEEE 754's formats, and arithmetic whose every bit is defined.
#pragma once

#include "simt/amdgcn/exec/level.h"
#include "simt/amdgcn/exec/wave.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

/// Of IEEE 754's formats.
template <typename T>
struct Ieee {
  static constexpr std::size_t kSize = sizeof(T);
  using Bits = std::conditional_t<kSize == 8, u64, std::conditional_t<kSize == 4, u32, u16>>;
  static constexpr unsigned kFraction = kSize == 8 ? 52 : kSize == 4 ? 23 : 10; ///< bits
  static constexpr int kBias = kSize == 8 ? 1023 : kSize == 4 ? 127 : 15;
  static constexpr int kInfinite = 2 * kBias + 1;
};
template <typename T>
constexpr Ieee<T>::Bits bits_of(T x) {
  return std::bit_cast<typename Ieee<T>::Bits>(x);
}
/// As it is stored: with the bias; 0 for zero and denormal numbers.
template <typename T>
constexpr int exponent(T x) {
  return static_cast<int>(bits_of(x) >> Ieee<T>::kFraction) & Ieee<T>::kInfinite;
}
template <typename T>
constexpr bool is_denormal(T x) {
  return exponent(x) == 0 && x != 0;
}
template <typename T>
constexpr bool is_nan(T x) {
  return __builtin_isnan(x);
}
/// By the bits, which a compiler that compares floats instead does not see here.
template <typename T>
constexpr bool is_finite(T x) {
  using Bits = Ieee<T>::Bits;
  return static_cast<Bits>(bits_of(x) * Bits{2}) <
         static_cast<Bits>(Bits{Ieee<T>::kInfinite} << (Ieee<T>::kFraction + 1));
}
template <typename T>
constexpr bool is_infinite(T x) {
  return exponent(x) == Ieee<T>::kInfinite && !is_nan(x);
}
template <typename T>
constexpr bool is_negative(T x) {
  return bits_of(x) >> (sizeof(T) * 8 - 1) != 0;
}
template <typename T>
constexpr T quiet(T nan) {
  using Bits = Ieee<T>::Bits;
  return std::bit_cast<T>(static_cast<Bits>(bits_of(nan) | Bits{1} << (Ieee<T>::kFraction - 1)));
}
template <typename T>
constexpr T with_sign(T x, bool negative) {
  using Bits = Ieee<T>::Bits;
  constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  return std::bit_cast<T>(static_cast<Bits>((bits_of(x) & ~kSign) | (negative ? kSign : 0)));
}

/// 2 to a power that a normal number has.
template <typename T>
constexpr T power_of_two(i32 power) {
  using Bits = Ieee<T>::Bits;
  return std::bit_cast<T>(static_cast<Bits>(power + Ieee<T>::kBias) << Ieee<T>::kFraction);
}
/// The next number in the direction of the sign, of what is neither zero nor infinite.
template <typename T>
constexpr T next_number(T x, bool upwards) {
  using Bits = Ieee<T>::Bits;
  return std::bit_cast<T>(is_negative(x) == upwards ? bits_of(x) - Bits{1} : bits_of(x) + Bits{1});
}

template <typename T>
constexpr bool is_signalling(T x) {
  return is_nan(x) && bits_of(x) != bits_of(quiet(x));
}

/// IEEE 754-2008's minNum and maxNum, of which -0 is less than 0: a quiet NaN loses, a signalling
/// one becomes the result. (Hardware does so in its IEEE mode, which kernels are compiled for.)
template <bool kLeast, typename T>
constexpr T extreme(T a, T b) {
  if (is_signalling(a) || is_signalling(b)) {
    return quiet(is_signalling(a) ? a : b);
  }
  if (is_nan(a) || is_nan(b)) {
    return is_nan(a) ? b : a;
  }
  const bool is_less = a < b || (a == b && is_negative(a));
  return is_less == kLeast ? a : b;
}
template <typename T>
constexpr T minimum(T a, T b) {
  return extreme<true>(a, b);
}
template <typename T>
constexpr T maximum(T a, T b) {
  return extreme<false>(a, b);
}
template <typename T>
constexpr T middle(T a, T b, T c) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) {
    return minimum(minimum(a, b), c);
  }
  return maximum(minimum(a, b), minimum(maximum(a, b), c));
}

/// A bit for each class: signalling and quiet NaN, -inf, -normal, -denormal, -0, 0, denormal,
/// normal, inf.
template <typename T>
constexpr bool is_of_class(T x, u32 classes) {
  unsigned number = 0;
  if (is_nan(x)) {
    number = ((bits_of(x) >> (Ieee<T>::kFraction - 1)) & 1) != 0 ? 1 : 0;
  } else {
    const unsigned size = exponent(x) == Ieee<T>::kInfinite ? 0
                          : exponent(x) != 0                ? 1
                          : x != 0                          ? 2
                                                            : 3;
    number = is_negative(x) ? 2 + size : 9 - size;
  }
  return ((classes >> number) & 1) != 0;
}

// Of several operands that are no numbers, the first one is the result, quiet, in whichever order
// the compiler has the host's instruction take them. Compiled code (lower/) has the sections' names
// tell them from other functions: it leaves the choice to the host until there is something that is
// no number.
#if defined(GANTRY_SIMT_MEANINGS_OF_LANES)
#define GANTRY_NUMERIC(name) [[gnu::noinline, gnu::section("gantry." name)]]
#else
#define GANTRY_NUMERIC(name)
#endif
template <typename T>
GANTRY_NUMERIC("sum")
T sum(T a, T b) {
  return is_nan(a) ? quiet(a) : a + b;
}
template <typename T>
GANTRY_NUMERIC("product")
T product(T a, T b) {
  return is_nan(a) ? quiet(a) : a * b;
}
template <typename T>
GANTRY_NUMERIC("fused")
T fused(T a, T b, T c) {
  const T first = is_nan(a) ? a : b;
  return is_nan(first) ? quiet(first) : __builtin_elementwise_fma(a, b, c);
}

#undef GANTRY_NUMERIC

/// The condition, upon which the result is a small part of the work, and which nearly always holds.
/// Compiled code has that part alone, and runs all of it again, exactly, where it does not hold.
#if defined(GANTRY_SIMT_MEANINGS_OF_LANES)
[[gnu::const]] bool usually(bool condition) asm("gantry.usually");
#else
constexpr bool usually(bool condition) {
  return condition;
}
#endif

/// x times 2 to a power, rounded once. (The library's function makes no vectors.)
template <typename T>
T scaled(T x, i32 power) {
  using I = Ieee<T>;
  constexpr i32 kMost = I::kBias;
  constexpr i32 kLeast = 1 - I::kBias;
  // A step down after which what is no normal number becomes zero by the rest of the power, however
  // it has been rounded.
  constexpr i32 kDown = kLeast + static_cast<i32>(I::kFraction) + 1;
  // A product with 1 is left out by a compiler that knows the power.
  if (usually((power >= kLeast) & (power <= kMost) & (power != 0))) {
    return product(x, power_of_two<T>(power));
  }
  T made = x;
  for (int step = 0; step < 2; ++step) {
    const i32 part = power > kMost ? kMost : power < kLeast ? kDown : 0;
    made *= power_of_two<T>(part);
    power -= part;
  }
  made *= power_of_two<T>(std::clamp(power, kLeast, kMost));
  return is_nan(x) ? quiet(x) : made;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
