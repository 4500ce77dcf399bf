#include "number.h"

#include <algorithm>
#include <limits>

namespace gantry::simt::instructions {

namespace {

using Significand = Number::Significand;

int length_of(Significand value) {
  int length = 0;
  while (value != 0) {
    const auto low = static_cast<std::uint64_t>(value);
    if (value == low) {
      return length + 64 - __builtin_clzll(low);
    }
    value >>= 64;
    length += 64;
  }
  return length;
}

// Whether what is cut off, `rest` of `unit` and perhaps more, makes the magnitude one larger.
bool rounds_up(bool negative, bool odd, Significand rest, Significand unit, bool inexact,
               Round mode) {
  if (rest == 0 && !inexact) {
    return false;
  }
  switch (mode) {
  case Round::kZero:
    return false;
  case Round::kDown:
    return negative;
  case Round::kUp:
    return !negative;
  case Round::kNearestEven:
    break;
  }
  const Significand half = unit >> 1;
  return rest > half || (rest == half && (inexact || odd));
}

// As many digits as can be, so that division and roots have digits to give.
Number with_digits(Number a, int digits) {
  const int length = length_of(a.significand);
  if (length < digits) {
    a.significand <<= digits - length;
    a.exponent -= digits - length;
  }
  return a;
}

} // namespace

Number Number::integer(__int128 value) {
  Number number;
  number.negative = value < 0;
  const auto bits = static_cast<unsigned __int128>(value);
  number.significand = value < 0 ? -bits : bits;
  return number;
}

Number unpacked(Word bits, Format format) {
  Number number;
  number.negative = (bits & format.sign()) != 0;
  const Word magnitude = bits & (format.sign() - 1);
  if (format.is_nan(bits)) {
    return Number::nan();
  }
  if (magnitude == format.infinity()) {
    return Number::infinite(number.negative);
  }
  const Word fraction = magnitude & (format.smallest_normal() - 1);
  const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
  number.significand = exponent == 0 ? fraction : fraction | format.smallest_normal();
  number.exponent = std::max(exponent, 1) - format.bias() - format.fraction_bits;
  return number;
}

Word packed(const Number& number, Format format, Round mode) {
  if (number.is_nan()) {
    return format.nan();
  }
  const Word sign = number.negative ? format.sign() : 0;
  if (number.is_infinite()) {
    return sign | format.infinity();
  }
  if (number.is_zero()) {
    return sign;
  }
  const int lowest = 1 - format.bias() - format.fraction_bits;
  int exponent =
      std::max(number.exponent + length_of(number.significand) - format.fraction_bits - 1, lowest);
  const int cut = exponent - number.exponent;
  Significand digits = 0;
  Significand rest = number.significand;
  Significand unit = 0;
  if (cut <= 0) {
    digits = number.significand << -cut;
    rest = 0;
    unit = 2;
  } else if (cut < 319) {
    unit = Significand{1} << cut;
    digits = number.significand >> cut;
    rest = number.significand & (unit - 1);
  } else {
    unit = ~Significand{0}; // far below half of the smallest number
    rest = 1;
  }
  if (rounds_up(number.negative, (digits & 1) != 0, rest, unit, number.inexact, mode)) {
    digits += 1;
  }
  if (digits >> (format.fraction_bits + 1) != 0) {
    digits >>= 1;
    exponent += 1;
  }
  const auto fraction = static_cast<Word>(digits);
  if (fraction < format.smallest_normal()) {
    return sign | fraction;
  }
  const int biased = exponent + format.fraction_bits + format.bias();
  if (biased >= (1 << format.exponent_bits) - 1) {
    const bool to_infinity = mode == Round::kNearestEven ||
                             (mode == Round::kUp && !number.negative) ||
                             (mode == Round::kDown && number.negative);
    return sign | (format.infinity() - (to_infinity ? 0 : 1));
  }
  return sign | static_cast<Word>(biased) << format.fraction_bits |
         (fraction & (format.smallest_normal() - 1));
}

Number sum(const Number& a, const Number& b, Round mode) {
  if (a.is_nan() || b.is_nan() ||
      (a.is_infinite() && b.is_infinite() && a.negative != b.negative)) {
    return Number::nan();
  }
  if (a.is_infinite() || b.is_infinite()) {
    return a.is_infinite() ? a : b;
  }
  if (a.is_zero() || b.is_zero()) {
    if (a.is_zero() && b.is_zero()) {
      return Number::zero(a.negative == b.negative ? a.negative : mode == Round::kDown);
    }
    return a.is_zero() ? b : a;
  }
  Number high = a;
  Number low = b;
  if (high.exponent < low.exponent) {
    std::swap(high, low);
  }
  const int apart = high.exponent - low.exponent;
  if (apart > 200) {
    // The low one is less than one unit of the high one's last digit, made small.
    high.significand <<= 120;
    high.exponent -= 120;
    if (high.negative != low.negative) {
      high.significand -= 1;
    }
    high.inexact = true;
    return high;
  }
  high.significand <<= apart;
  high.exponent = low.exponent;
  if (high.negative == low.negative) {
    high.significand += low.significand;
    return high;
  }
  if (high.significand == low.significand) {
    return Number::zero(mode == Round::kDown);
  }
  if (high.significand < low.significand) {
    std::swap(high, low);
  }
  high.significand -= low.significand;
  return high;
}

Number negated(Number a) {
  a.negative = !a.negative;
  return a;
}

Number product(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_zero()) ||
      (a.is_zero() && b.is_infinite())) {
    return Number::nan();
  }
  if (a.is_infinite() || b.is_infinite()) {
    return Number::infinite(negative);
  }
  Number result = Number::zero(negative);
  result.significand = a.significand * b.significand;
  result.exponent = a.exponent + b.exponent;
  return result;
}

Number quotient(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_infinite()) ||
      (a.is_zero() && b.is_zero())) {
    return Number::nan();
  }
  if (a.is_infinite() || b.is_zero()) {
    return Number::infinite(negative);
  }
  if (a.is_zero() || b.is_infinite()) {
    return Number::zero(negative);
  }
  const Number dividend = with_digits(a, 127);
  const Number divisor = with_digits(b, 53);
  const auto numerator = static_cast<unsigned __int128>(dividend.significand);
  const auto denominator = static_cast<unsigned __int128>(divisor.significand);
  Number result = Number::zero(negative);
  result.significand = numerator / denominator;
  result.inexact = numerator % denominator != 0;
  result.exponent = dividend.exponent - divisor.exponent;
  return result;
}

Number square_root(const Number& a) {
  if (a.is_nan() || (a.negative && !a.is_zero())) {
    return Number::nan();
  }
  if (a.is_zero() || a.is_infinite()) {
    return a;
  }
  Number radicand = with_digits(a, 125);
  if (radicand.exponent % 2 != 0) {
    radicand.significand <<= 1;
    radicand.exponent -= 1;
  }
  const auto value = static_cast<unsigned __int128>(radicand.significand);
  unsigned __int128 root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const unsigned __int128 tried = root | static_cast<unsigned __int128>(1) << bit;
    if (tried * tried <= value) {
      root = tried;
    }
  }
  Number result;
  result.significand = root;
  result.inexact = root * root != value;
  result.exponent = radicand.exponent / 2;
  return result;
}

Number integral(const Number& a, Round mode) {
  if (a.kind != Number::Class::kFinite || a.exponent >= 0 || a.is_zero()) {
    return a;
  }
  Number result = a;
  result.exponent = 0;
  result.inexact = false;
  const int cut = -a.exponent;
  const bool far = cut >= 319;
  const Significand unit = far ? ~Significand{0} : Significand{1} << cut;
  const Significand rest = far ? Significand{1} : a.significand & (unit - 1);
  result.significand = far ? Significand{0} : a.significand >> cut;
  if (rounds_up(a.negative, (result.significand & 1) != 0, rest, unit, a.inexact, mode)) {
    result.significand += 1;
  }
  return result;
}

__int128 to_integer(const Number& a) {
  constexpr auto kLargest = static_cast<__int128>(static_cast<unsigned __int128>(-1) >> 1);
  if (a.is_zero()) {
    return 0;
  }
  if (a.is_infinite() || length_of(a.significand) + a.exponent > 126) {
    return a.negative ? -kLargest - 1 : kLargest;
  }
  const auto magnitude = static_cast<__int128>(a.significand << a.exponent);
  return a.negative ? -magnitude : magnitude;
}

} // namespace gantry::simt::instructions
