#include "base/printf_format.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdio>
#include <limits>

namespace gantry {

namespace {

/// The most that one conversion can be asked to fill.
constexpr int kMostWidth = 1 << 20;

enum class Length : std::uint8_t { kNone, kChar, kShort, kLong };

/// A conversion specification, taken apart.
struct Conversion {
  std::string_view text; ///< as written, from the % on
  std::string flags;
  int width = 0;
  bool width_argument = false;
  int precision = -1;
  bool precision_argument = false;
  Length length = Length::kNone;
  char letter = '\0'; ///< '\0': the format ends in the middle
};

int number_at(std::string_view format, std::size_t& position) {
  int number = 0;
  while (position < format.size() &&
         std::isdigit(static_cast<unsigned char>(format[position])) != 0) {
    number = std::min(number * 10 + (format[position++] - '0'), kMostWidth);
  }
  return number;
}

Length length_at(std::string_view format, std::size_t& position) {
  Length length = Length::kNone;
  for (; position < format.size(); ++position) {
    switch (format[position]) {
    case 'h':
      length = length == Length::kShort ? Length::kChar : Length::kShort;
      break;
    case 'l':
    case 'j':
    case 'z':
    case 't':
    case 'L':
      length = Length::kLong;
      break;
    default:
      return length;
    }
  }
  return length;
}

/// The conversion that begins with the % at `begin`.
Conversion conversion_at(std::string_view format, std::size_t begin) {
  constexpr std::string_view kFlags = "-+ #0";
  Conversion conversion;
  std::size_t position = begin + 1;
  const auto star = [&] {
    const bool found = position < format.size() && format[position] == '*';
    position += found ? 1 : 0;
    return found;
  };
  while (position < format.size() && kFlags.find(format[position]) != std::string_view::npos) {
    conversion.flags += format[position++];
  }
  conversion.width_argument = star();
  if (!conversion.width_argument) {
    conversion.width = number_at(format, position);
  }
  if (position < format.size() && format[position] == '.') {
    ++position;
    conversion.precision_argument = star();
    if (!conversion.precision_argument) {
      conversion.precision = number_at(format, position);
    }
  }
  conversion.length = length_at(format, position);
  if (position < format.size()) {
    conversion.letter = format[position++];
  }
  conversion.text = format.substr(begin, position - begin);
  return conversion;
}

/// Appends what the host's printf makes of one value. `type` is its length and letter.
template <typename Value>
void append(std::string& text, const Conversion& conversion, const char* type, Value value) {
  const std::string specification = "%" + conversion.flags + "*.*" + type;
  // A negative precision counts as none, in C too.
  const auto print = [&](char* place, std::size_t room) {
    return std::snprintf(place, room, specification.c_str(), conversion.width, conversion.precision,
                         value);
  };
  const int size = print(nullptr, 0);
  if (size <= 0) {
    return;
  }
  const std::size_t before = text.size();
  text.resize(before + static_cast<std::size_t>(size) + 1);
  print(text.data() + before, static_cast<std::size_t>(size) + 1);
  text.pop_back();
}

template <typename Long, typename Int, typename Short, typename Char>
Long take_integer(PrintfArguments& arguments, Length length) {
  if (length == Length::kLong) {
    return static_cast<Long>(arguments.take(sizeof(Long)));
  }
  const auto value = static_cast<Int>(arguments.take(sizeof(Int)));
  switch (length) {
  case Length::kChar:
    return static_cast<Char>(value);
  case Length::kShort:
    return static_cast<Short>(value);
  default:
    return value;
  }
}

/// What * says, within what one conversion may fill.
int take_star(PrintfArguments& arguments) {
  return std::clamp(static_cast<std::int32_t>(arguments.take(sizeof(std::int32_t))), -kMostWidth,
                    kMostWidth);
}

bool is_conversion(const Conversion& conversion) {
  constexpr std::string_view kLetters = "diouxXcspeEfFgGaAn%";
  constexpr std::string_view kNarrow = "cs"; // wide characters are not offered
  return conversion.letter != '\0' && kLetters.find(conversion.letter) != std::string_view::npos &&
         (conversion.length == Length::kNone ||
          kNarrow.find(conversion.letter) == std::string_view::npos);
}

void append_conversion(std::string& text, Conversion conversion, PrintfArguments& arguments) {
  if (!is_conversion(conversion)) {
    text += conversion.text;
    return;
  }
  if (conversion.letter == '%') {
    text += '%';
    return;
  }
  if (conversion.letter == 'n') {
    return;
  }
  if (conversion.width_argument) {
    conversion.width = take_star(arguments);
  }
  if (conversion.precision_argument) {
    conversion.precision = take_star(arguments);
  }
  const char letter = conversion.letter;
  switch (letter) {
  case 'd':
  case 'i':
    append(
        text, conversion, "lld",
        static_cast<long long>(take_integer<std::int64_t, std::int32_t, std::int16_t, std::int8_t>(
            arguments, conversion.length)));
    break;
  case 'o':
  case 'u':
  case 'x':
  case 'X': {
    const char type[] = {'l', 'l', letter, '\0'};
    append(text, conversion, type,
           static_cast<unsigned long long>(
               take_integer<std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>(
                   arguments, conversion.length)));
    break;
  }
  case 'c':
    append(text, conversion, "c", static_cast<std::int32_t>(arguments.take(sizeof(std::int32_t))));
    break;
  case 'p':
    append(text, conversion, "p", reinterpret_cast<void*>(arguments.take(sizeof(void*))));
    break;
  case 's': {
    const std::string string = arguments.take_string(
        conversion.precision < 0 ? std::numeric_limits<std::size_t>::max()
                                 : static_cast<std::size_t>(conversion.precision));
    if (!arguments.good()) {
      return;
    }
    append(text, conversion, "s", string.c_str());
    break;
  }
  default: {
    const char type[] = {letter, '\0'};
    append(text, conversion, type, std::bit_cast<double>(arguments.take(sizeof(double))));
  }
  }
}

} // namespace

bool append_printf(std::string& text, std::string_view format, PrintfArguments& arguments) {
  for (std::size_t position = 0; position < format.size();) {
    const std::size_t percent = std::min(format.find('%', position), format.size());
    text += format.substr(position, percent - position);
    if (percent == format.size()) {
      break;
    }
    const Conversion conversion = conversion_at(format, percent);
    append_conversion(text, conversion, arguments);
    if (!arguments.good()) {
      return false;
    }
    position = percent + conversion.text.size();
  }
  return true;
}

} // namespace gantry
