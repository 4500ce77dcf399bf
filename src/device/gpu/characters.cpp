// C's <ctype.h> in the C locale. As macros, glibc's functions are look-ups in tables, for
// characters from -128 to 255.
#include "device/gpu/standard_library.h"

namespace gantry::device {

namespace {

/// Bits of glibc's table on a little-endian machine.
enum Class : uint16_t {
  kUpper = 1 << 8,
  kLower = 1 << 9,
  kAlphabetic = 1 << 10,
  kDigit = 1 << 11,
  kHexadecimal = 1 << 12,
  kSpace = 1 << 13,
  kPrint = 1 << 14,
  kGraph = 1 << 15,
  kBlank = 1 << 0,
  kControl = 1 << 1,
  kPunctuation = 1 << 2,
  kAlphanumeric = 1 << 3,
};

constexpr bool in(int character, char first, char last) {
  return first <= character && character <= last;
}

constexpr uint16_t classes_of(int character) {
  if (!in(character, 0, 127)) {
    return 0;
  }
  const bool upper = in(character, 'A', 'Z'), lower = in(character, 'a', 'z');
  const bool digit = in(character, '0', '9'), letter = upper || lower;
  const bool hexadecimal = digit || in(character, 'A', 'F') || in(character, 'a', 'f');
  const bool space = character == ' ' || in(character, '\t', '\r');
  const bool print = in(character, ' ', '~'), graph = print && character != ' ';
  const bool punctuation = graph && !letter && !digit;
  return static_cast<uint16_t>(
      (upper ? kUpper : 0) | (lower ? kLower : 0) | (letter ? kAlphabetic : 0) |
      (digit ? kDigit : 0) | (hexadecimal ? kHexadecimal : 0) | (space ? kSpace : 0) |
      (print ? kPrint : 0) | (graph ? kGraph : 0) |
      (character == ' ' || character == '\t' ? kBlank : 0) | (print ? 0 : kControl) |
      (punctuation ? kPunctuation : 0) | (letter || digit ? kAlphanumeric : 0));
}

constexpr int lower_of(int character) {
  return in(character, 'A', 'Z') ? character + ('a' - 'A') : character;
}
constexpr int upper_of(int character) {
  return in(character, 'a', 'z') ? character - ('a' - 'A') : character;
}

constexpr int kFirst = -128, kCount = 384;

template <typename Element, auto Of>
struct Table {
  Element elements[kCount] = {};
  constexpr Table() {
    for (int i = 0; i < kCount; ++i) {
      elements[i] = Of(kFirst + i);
    }
  }
};

constexpr Table<uint16_t, classes_of> kClasses;
constexpr Table<int32_t, lower_of> kLowerCase;
constexpr Table<int32_t, upper_of> kUpperCase;
// Where the element of character 0 is.
const uint16_t* classes = kClasses.elements - kFirst;
const int32_t* lower_case = kLowerCase.elements - kFirst;
const int32_t* upper_case = kUpperCase.elements - kFirst;

} // namespace

extern "C" {

const uint16_t** __ctype_b_loc() {
  return &classes;
}
const int32_t** __ctype_tolower_loc() {
  return &lower_case;
}
const int32_t** __ctype_toupper_loc() {
  return &upper_case;
}

#define GANTRY_IS(name, wanted)                                                                    \
  GANTRY_WEAK int name(int character) {                                                            \
    return classes_of(character) & (wanted);                                                       \
  }
GANTRY_IS(isalnum, kAlphanumeric)
GANTRY_IS(isalpha, kAlphabetic)
GANTRY_IS(isblank, kBlank)
GANTRY_IS(iscntrl, kControl)
GANTRY_IS(isdigit, kDigit)
GANTRY_IS(isgraph, kGraph)
GANTRY_IS(islower, kLower)
GANTRY_IS(isprint, kPrint)
GANTRY_IS(ispunct, kPunctuation)
GANTRY_IS(isspace, kSpace)
GANTRY_IS(isupper, kUpper)
GANTRY_IS(isxdigit, kHexadecimal)
#undef GANTRY_IS

GANTRY_WEAK int isascii(int character) {
  return in(character, 0, 127) ? 1 : 0;
}
GANTRY_WEAK int tolower(int character) {
  return lower_of(character);
}
GANTRY_WEAK int toupper(int character) {
  return upper_of(character);
}

} // extern "C"

} // namespace gantry::device
