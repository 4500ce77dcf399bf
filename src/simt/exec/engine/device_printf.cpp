#include "simt/exec/engine/device_printf.h"

#include "base/result.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>

namespace gantry::simt::exec {

namespace {

/// Output that waits; also the most that one conversion can be asked to fill.
constexpr std::size_t kBufferSize = 1 << 20;

/// The arguments of a call, in order. After the first one that cannot be read, which is kept, all
/// are zero.
class Arguments {
public:
  Arguments(const LaneMemory& memory, std::uint64_t begin) : memory_(&memory), next_(begin) {}

  template <typename Value>
  Value take() {
    Value value = {};
    next_ = (next_ + sizeof(Value) - 1) & ~(sizeof(Value) - 1);
    if (!unreadable_) {
      if (const std::byte* const place = memory_->readable(next_, sizeof(Value))) {
        std::memcpy(&value, place, sizeof(Value));
      } else {
        unreadable_ = Unreadable{next_, sizeof(Value)};
      }
    }
    next_ += sizeof(Value);
    ++count_;
    return value;
  }

  [[nodiscard]] const LaneMemory& memory() const { return *memory_; }
  [[nodiscard]] std::int32_t count() const { return count_; }
  [[nodiscard]] const std::optional<Unreadable>& unreadable() const { return unreadable_; }

private:
  const LaneMemory* memory_;
  std::uint64_t next_;
  std::int32_t count_ = 0;
  std::optional<Unreadable> unreadable_;
};

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
    number = std::min(number * 10 + (format[position++] - '0'), static_cast<int>(kBufferSize));
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
Long take_integer(Arguments& arguments, Length length) {
  if (length == Length::kLong) {
    return arguments.take<Long>();
  }
  const auto value = arguments.take<Int>();
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
int take_star(Arguments& arguments) {
  constexpr int kMost = kBufferSize;
  return std::clamp(arguments.take<std::int32_t>(), -kMost, kMost);
}

bool is_conversion(const Conversion& conversion) {
  constexpr std::string_view kLetters = "diouxXcspeEfFgGaAn%";
  constexpr std::string_view kNarrow = "cs"; // wide characters are not offered
  return conversion.letter != '\0' && kLetters.find(conversion.letter) != std::string_view::npos &&
         (conversion.length == Length::kNone ||
          kNarrow.find(conversion.letter) == std::string_view::npos);
}

tl::expected<void, Unreadable> append_conversion(std::string& text, Conversion conversion,
                                                 Arguments& arguments) {
  if (!is_conversion(conversion)) {
    text += conversion.text;
    return {};
  }
  if (conversion.letter == '%') {
    text += '%';
    return {};
  }
  if (conversion.letter == 'n') {
    return {};
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
    append(text, conversion, "c", arguments.take<std::int32_t>());
    break;
  case 'p':
    append(text, conversion, "p", reinterpret_cast<void*>(arguments.take<std::uint64_t>()));
    break;
  case 's': {
    const auto address = arguments.take<std::uint64_t>();
    if (arguments.unreadable()) {
      break;
    }
    const auto string =
        GANTRY_TRY(conversion.precision < 0
                       ? read_device_string(arguments.memory(), address)
                       : read_device_string(arguments.memory(), address,
                                            static_cast<std::size_t>(conversion.precision)));
    append(text, conversion, "s", string.c_str());
    break;
  }
  default: {
    const char type[] = {letter, '\0'};
    append(text, conversion, type, arguments.take<double>());
  }
  }
  if (arguments.unreadable()) {
    return tl::unexpected(*arguments.unreadable());
  }
  return {};
}

struct Output {
  std::mutex mutex;
  std::string text;

  /// The mutex must be held.
  void write() {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    text.clear();
  }
};

Output& output() {
  // Never destroyed: kernels may still print while the process ends.
  static auto* const waiting = new Output();
  return *waiting;
}

} // namespace

tl::expected<std::string, Unreadable> read_device_string(const LaneMemory& memory,
                                                         std::uint64_t address, std::size_t limit) {
  std::string string;
  for (; string.size() < limit; ++address) {
    const std::byte* const place = memory.readable(address, 1);
    if (place == nullptr) {
      return tl::unexpected(Unreadable{address, 1});
    }
    if (*place == std::byte{0}) {
      break;
    }
    string += static_cast<char>(*place);
  }
  return string;
}

tl::expected<std::int32_t, Unreadable> format_device_text(std::string& text,
                                                          const LaneMemory& memory,
                                                          std::uint64_t format,
                                                          std::uint64_t arguments) {
  if (format == 0) {
    return -1;
  }
  const std::string string = GANTRY_TRY(read_device_string(memory, format));
  const std::string_view rest = string;
  Arguments values(memory, arguments);
  for (std::size_t position = 0; position < rest.size();) {
    const std::size_t percent = std::min(rest.find('%', position), rest.size());
    text += rest.substr(position, percent - position);
    if (percent == rest.size()) {
      break;
    }
    const Conversion conversion = conversion_at(rest, percent);
    GANTRY_TRY(append_conversion(text, conversion, values));
    position = percent + conversion.text.size();
  }
  return values.count();
}

void print_from_device(std::string_view text) {
  Output& waiting = output();
  const std::lock_guard lock(waiting.mutex);
  waiting.text += text;
  if (waiting.text.size() > kBufferSize) {
    waiting.write();
  }
}

void flush_device_output() {
  Output& waiting = output();
  const std::lock_guard lock(waiting.mutex);
  if (!waiting.text.empty()) {
    waiting.write();
  }
}

} // namespace gantry::simt::exec
