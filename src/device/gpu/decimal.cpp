// strtod and strtof of C's <stdlib.h>, correctly rounded (C17, 7.22.1.3).
//
// A decimal number is an array of its digits and the place of its point. It is doubled and halved
// exactly, some bits at a time, until its integral part has as many bits as the result's
// significand; that part is then rounded to even. 800 digits are enough: any more only tell whether
// the number lies above a tie, and that is kept in one flag.
#include "device/gpu/standard_library.h"

namespace gantry::device {

namespace {

constexpr int kMostDigits = 800;
/// Of one step: a digit times 2^kMostBits, and what is carried, fit in 64 bits.
constexpr int kMostBits = 56;
/// Beyond these the result is infinite or zero.
constexpr int kLargestPoint = 320, kSmallestPoint = -350;
constexpr int kMostExponent = 100'000;

/// 0.digits × 10^point.
struct Decimal {
  uint8_t digits[kMostDigits];
  int count = 0;
  int point = 0;
  bool more = false; ///< digits that are not zero have been left out

  void append(unsigned digit) {
    if (count == 0 && digit == 0) {
      --point; // counted as if it were there
    } else if (count < kMostDigits) {
      digits[count++] = static_cast<uint8_t>(digit);
    } else {
      more = more || digit != 0;
    }
  }

  void drop_zeros() {
    while (count > 0 && digits[count - 1] == 0) {
      --count;
    }
  }

  /// Times 2^bits.
  void double_it(int bits) {
    const int room = (bits * 302 + 999) / 1000; // digits that it may grow by: log10(2) < 0.302
    uint64_t carry = 0;
    for (int i = count; i-- > 0;) {
      carry += static_cast<uint64_t>(digits[i]) << bits;
      const auto digit = static_cast<uint8_t>(carry % 10);
      carry /= 10;
      if (i + room < kMostDigits) {
        digits[i + room] = digit;
      } else {
        more = more || digit != 0;
      }
    }
    for (int i = room; i-- > 0;) {
      digits[i] = static_cast<uint8_t>(carry % 10);
      carry /= 10;
    }
    count = count + room < kMostDigits ? count + room : kMostDigits;
    point += room;
    drop_leading_zeros();
    drop_zeros();
  }

  /// Divided by 2^bits.
  void halve(int bits) {
    uint64_t rest = 0;
    int written = 0, read = 0;
    const uint64_t mask = (uint64_t{1} << bits) - 1;
    bool begun = false;
    while (read < count || rest != 0) {
      rest = rest * 10 + (read < count ? digits[read] : 0);
      ++read;
      const uint64_t digit = rest >> bits;
      rest &= mask;
      if (!begun && digit == 0) {
        --point;
        continue;
      }
      begun = true;
      if (written < kMostDigits) {
        digits[written++] = static_cast<uint8_t>(digit);
      } else {
        more = more || digit != 0;
      }
    }
    count = written;
    drop_zeros();
  }

  void drop_leading_zeros() {
    int zeros = 0;
    while (zeros < count && digits[zeros] == 0) {
      ++zeros;
    }
    for (int i = zeros; i < count; ++i) {
      digits[i - zeros] = digits[i];
    }
    count -= zeros;
    point -= zeros;
  }

  /// The integral part, which has less than 64 bits, rounded to even.
  [[nodiscard]] uint64_t rounded() const {
    uint64_t whole = 0;
    for (int i = 0; i < point; ++i) {
      whole = whole * 10 + (i < count ? digits[i] : 0);
    }
    const int first = point < 0 || point >= count ? 0 : digits[point];
    const bool beyond = more || (point >= 0 && count > point + 1);
    const bool up = first > 5 || (first == 5 && (beyond || (whole & 1) != 0));
    return whole + (up ? 1 : 0);
  }
};

/// Of IEEE's binary formats.
struct Format {
  int digits;   ///< of the significand, the implied one included
  int smallest; ///< exponent of the least normal number 1.x × 2^smallest
  int largest;  ///< of the greatest
};
constexpr Format kDouble = {53, -1022, 1023};
constexpr Format kFloat = {24, -126, 127};

/// significand × 2^exponent as a double, which has every float too; infinite beyond the format.
double made(uint64_t significand, int exponent, const Format& format) {
  if (significand == 0) {
    return 0;
  }
  const int top = 63 - __builtin_clzll(significand);
  if (exponent + top > format.largest) {
    return __builtin_inf();
  }
  // Exact: the format has these bits, and a double those of a float.
  double value = static_cast<double>(significand);
  for (; exponent > 0; --exponent) {
    value *= 2;
  }
  for (; exponent < 0; ++exponent) {
    value *= 0.5;
  }
  return value;
}

double binary_of(Decimal& number, const Format& format) {
  number.drop_zeros();
  if (number.count == 0 || number.point < kSmallestPoint) {
    return 0;
  }
  if (number.point > kLargestPoint) {
    return __builtin_inf();
  }
  // To [1, 10) × 2^exponent first, from there to a significand of the format's length.
  int exponent = 0;
  while (number.point > 1) {
    const int bits = number.point > 18 ? kMostBits : (number.point - 1) * 3;
    number.halve(bits);
    exponent += bits;
  }
  while (number.point < 1) {
    const int bits = number.point < -17 ? kMostBits : (1 - number.point) * 3 + 1;
    number.double_it(bits);
    exponent -= bits;
  }
  // 2^top is not larger than the number, so that its place is known.
  uint64_t whole = 0;
  for (int i = 0; i < number.point; ++i) {
    whole = whole * 10 + (i < number.count ? number.digits[i] : 0);
  }
  const int top = 63 - __builtin_clzll(whole);
  int unit = exponent + top - (format.digits - 1);
  const int least = format.smallest - (format.digits - 1);
  unit = unit < least ? least : unit;
  const int shift = exponent - unit;
  if (shift >= 0) {
    number.double_it(shift);
  } else if (shift < -60) {
    return 0; // less than half of the least number
  } else {
    number.halve(-shift);
  }
  return made(number.rounded(), unit, format);
}

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

int hexadecimal(char character) {
  if (is_digit(character)) {
    return character - '0';
  }
  const int lower = tolower(static_cast<unsigned char>(character));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// `word` is of small letters.
bool begins_with(const char* text, const char* word) {
  for (; *word != '\0'; ++text, ++word) {
    if (tolower(static_cast<unsigned char>(*text)) != *word) {
      return false;
    }
  }
  return true;
}

/// Behind `at`, if there is an exponent: e or p, a sign perhaps, and digits.
int exponent_at(const char*& at, char letter) {
  if (tolower(static_cast<unsigned char>(*at)) != letter) {
    return 0;
  }
  const char* digit = at + 1;
  const bool negative = *digit == '-';
  if (*digit == '-' || *digit == '+') {
    ++digit;
  }
  if (!is_digit(*digit)) {
    return 0;
  }
  int exponent = 0;
  for (; is_digit(*digit); ++digit) {
    exponent = exponent < kMostExponent ? exponent * 10 + (*digit - '0') : exponent;
  }
  at = digit;
  return negative ? -exponent : exponent;
}

/// Digits with a point among them perhaps; false if there are none. `append` takes each, and
/// whether it stands behind the point.
template <typename Value, typename Append>
bool read_digits(const char*& at, Value value, Append append) {
  bool any = false, point = false;
  for (const char* next = at;; ++next) {
    if (*next == '.' && !point) {
      point = true;
    } else if (const int digit = value(*next); digit >= 0) {
      append(static_cast<unsigned>(digit), point);
      any = true;
    } else {
      at = any ? next : at;
      return any;
    }
  }
}

double read_decimal(const char*& at, const Format& format) {
  Decimal number;
  int integral = 0; // digits in front of the point, and the zeros that append() has counted
  const bool any = read_digits(
      at, [](char character) { return is_digit(character) ? character - '0' : -1; },
      [&](unsigned digit, bool behind_point) {
        number.append(digit);
        integral += behind_point ? 0 : 1;
      });
  if (!any) {
    return 0;
  }
  number.point += integral;
  number.point += exponent_at(at, 'e');
  return binary_of(number, format);
}

double read_hexadecimal(const char*& at, const Format& format) {
  uint64_t significand = 0;
  bool more = false;
  int exponent = 0;
  (void)read_digits(at, hexadecimal, [&](unsigned digit, bool behind_point) {
    if (significand >> 58 == 0) {
      significand = significand << 4 | digit;
      exponent -= behind_point ? 4 : 0;
    } else {
      more = more || digit != 0;
      exponent += behind_point ? 0 : 4;
    }
  });
  exponent += exponent_at(at, 'p');
  if (significand == 0 || exponent < -kMostExponent / 2) {
    return 0;
  }
  const int top = 63 - __builtin_clzll(significand);
  int unit = exponent + top - (format.digits - 1);
  const int least = format.smallest - (format.digits - 1);
  unit = unit < least ? least : unit;
  const int drop = unit - exponent;
  if (drop > 63) {
    return 0;
  }
  if (drop > 0) {
    const uint64_t rest = significand & ((uint64_t{1} << drop) - 1);
    const uint64_t half = uint64_t{1} << (drop - 1);
    significand >>= drop;
    significand += rest > half || (rest == half && (more || (significand & 1) != 0)) ? 1 : 0;
    exponent = unit;
  }
  return exponent > kMostExponent / 2 ? __builtin_inf() : made(significand, exponent, format);
}

/// Behind the (characters) that may follow nan.
const char* end_of_payload(const char* at) {
  const char* next = at;
  if (*next == '(') {
    do {
      ++next;
    } while (isalnum(static_cast<unsigned char>(*next)) != 0 || *next == '_');
  }
  return *next == ')' ? next + 1 : at;
}

double read_number(const char* text, char** end, const Format& format) {
  const char* at = text;
  while (isspace(static_cast<unsigned char>(*at)) != 0) {
    ++at;
  }
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+') {
    ++at;
  }
  const char* const number = at;
  double value = 0;
  if (begins_with(at, "infinity") || begins_with(at, "inf")) {
    at += begins_with(at, "infinity") ? 8 : 3;
    value = __builtin_inf();
  } else if (begins_with(at, "nan")) {
    at = end_of_payload(at + 3);
    value = __builtin_nan("");
  } else if (begins_with(at, "0x") &&
             (hexadecimal(at[2]) >= 0 || (at[2] == '.' && hexadecimal(at[3]) >= 0))) {
    at += 2;
    value = read_hexadecimal(at, format);
  } else {
    value = read_decimal(at, format);
  }
  if (end != nullptr) {
    *end = const_cast<char*>(at == number ? text : at);
  }
  return negative ? -value : value;
}

} // namespace

extern "C" {

GANTRY_WEAK double strtod(const char* text, char** end) {
  return read_number(text, end, kDouble);
}
GANTRY_WEAK float strtof(const char* text, char** end) {
  return static_cast<float>(read_number(text, end, kFloat));
}
GANTRY_WEAK double atof(const char* text) {
  return read_number(text, nullptr, kDouble);
}

} // extern "C"

} // namespace gantry::device
