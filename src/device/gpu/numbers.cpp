// The numbers of C's <stdlib.h>: conversions of text to integers, quotients, random numbers.
#include "device/gpu/standard_library.h"

namespace gantry::device {

namespace {

constexpr int kMaxInt = 0x7FFF'FFFF;
constexpr int64_t kMaxLong = 0x7FFF'FFFF'FFFF'FFFF;

/// The digit's value, 36 if it is none.
unsigned digit_of(char character) {
  const int lower = tolower(static_cast<unsigned char>(character));
  if (lower >= '0' && lower <= '9') {
    return static_cast<unsigned>(lower - '0');
  }
  return lower >= 'a' && lower <= 'z' ? static_cast<unsigned>(lower - 'a') + 10 : 36;
}

struct Parsed {
  uint64_t magnitude; ///< the largest there is if `overflow`
  bool negative;
  bool overflow;
};

/// C17, 7.22.1.4.
Parsed parse(const char* text, char** end, int base) {
  const char* at = text;
  while (isspace(static_cast<unsigned char>(*at)) != 0) {
    ++at;
  }
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+') {
    ++at;
  }
  const bool prefixed = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit_of(at[2]) < 16;
  if ((base == 0 || base == 16) && prefixed) {
    at += 2;
    base = 16;
  } else if (base == 0) {
    base = *at == '0' ? 8 : 10;
  }
  uint64_t magnitude = 0;
  bool overflow = false, any = false;
  for (; digit_of(*at) < static_cast<unsigned>(base); ++at) {
    any = true;
    overflow =
        __builtin_mul_overflow(magnitude, static_cast<uint64_t>(base), &magnitude) || overflow;
    overflow = __builtin_add_overflow(magnitude, digit_of(*at), &magnitude) || overflow;
  }
  if (end != nullptr) {
    *end = const_cast<char*>(any ? at : text);
  }
  return {overflow ? ~uint64_t{0} : magnitude, negative, overflow};
}

int64_t parse_signed(const char* text, char** end, int base) {
  const auto [magnitude, negative, overflow] = parse(text, end, base);
  constexpr auto kLargest = static_cast<uint64_t>(kMaxLong);
  if (negative) {
    return magnitude > kLargest ? -kMaxLong - 1 : -static_cast<int64_t>(magnitude);
  }
  return magnitude > kLargest ? kMaxLong : static_cast<int64_t>(magnitude);
}

uint64_t parse_unsigned(const char* text, char** end, int base) {
  const auto [magnitude, negative, overflow] = parse(text, end, base);
  return negative && !overflow ? uint64_t{0} - magnitude : magnitude;
}

template <typename Number>
struct Quotient {
  Number quot, rem;
};

/// Mixes a number's bits, so that each input bit affects all output bits (D. Stafford's variant 13
/// of MurmurHash3's finaliser).
uint64_t mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58'476D'1CE4'E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D0'49BB'1331'11EB;
  return bits ^ (bits >> 31);
}

constexpr uint64_t kStep = 0x9E37'79B9'7F4A'7C15;
/// Of the device: all threads draw from one sequence.
uint64_t random_state = kStep;

int random_number(uint64_t state) {
  return static_cast<int>(mixed(state) & kMaxInt);
}

} // namespace

extern "C" {

GANTRY_WEAK int64_t strtol(const char* text, char** end, int base) {
  return parse_signed(text, end, base);
}
GANTRY_WEAK int64_t strtoll(const char* text, char** end, int base) {
  return parse_signed(text, end, base);
}
GANTRY_WEAK uint64_t strtoul(const char* text, char** end, int base) {
  return parse_unsigned(text, end, base);
}
GANTRY_WEAK uint64_t strtoull(const char* text, char** end, int base) {
  return parse_unsigned(text, end, base);
}
GANTRY_WEAK int atoi(const char* text) {
  return static_cast<int>(parse_signed(text, nullptr, 10));
}
GANTRY_WEAK int64_t atol(const char* text) {
  return parse_signed(text, nullptr, 10);
}
GANTRY_WEAK int64_t atoll(const char* text) {
  return parse_signed(text, nullptr, 10);
}

GANTRY_WEAK int abs(int value) {
  return value < 0 ? -value : value;
}
GANTRY_WEAK int64_t labs(int64_t value) {
  return value < 0 ? -value : value;
}
GANTRY_WEAK int64_t llabs(int64_t value) {
  return value < 0 ? -value : value;
}

GANTRY_WEAK Quotient<int> div(int left, int right) {
  return {left / right, left % right};
}
GANTRY_WEAK Quotient<int64_t> ldiv(int64_t left, int64_t right) {
  return {left / right, left % right};
}
GANTRY_WEAK Quotient<int64_t> lldiv(int64_t left, int64_t right) {
  return {left / right, left % right};
}

GANTRY_WEAK int rand() {
  return random_number(__atomic_fetch_add(&random_state, kStep, __ATOMIC_RELAXED));
}
GANTRY_WEAK void srand(unsigned seed) {
  __atomic_store_n(&random_state, seed * kStep, __ATOMIC_RELAXED);
}
GANTRY_WEAK int rand_r(unsigned* seed) {
  return random_number((*seed += 0x9E37'79B9) * kStep);
}

} // extern "C"

} // namespace gantry::device
