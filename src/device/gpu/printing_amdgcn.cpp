// Messages of code for AMD's GPUs: written into a buffer that the plugin reads (gantry_output in
// gantry/gpu_image.h). A record has all that its format needs, so that the host needs nothing of
// the device's memory.
//
// The host takes formats apart as well, and what is a conversion is the same there
// (base/printf_format.h).
#include "device/gpu/machine.h"
#include "device/gpu/standard_library.h"

namespace gantry::device {

extern "C" {
[[gnu::visibility("protected"), gnu::weak, gnu::used]] uint64_t __gantry_output = 0;
}

namespace {

using Output = gantry_output;
using Record = gantry_output_record;

bool is_among(char character, const char* characters) {
  for (; *characters != '\0'; ++characters) {
    if (*characters == character) {
      return true;
    }
  }
  return false;
}

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

/// What a conversion takes.
struct Conversion {
  bool width_argument = false;
  bool precision_argument = false;
  int32_t precision = -1;
  uint32_t size = 0; ///< of its value; 0: it takes nothing at all
  bool is_string = false;
};

uint32_t size_of(char letter, bool has_length, bool is_long) {
  if (is_among(letter, "diouxX")) {
    return is_long ? 8 : 4;
  }
  if (letter == 'c' || letter == 's') {
    return has_length ? 0 : letter == 'c' ? 4 : 8;
  }
  return is_among(letter, "peEfFgGaA") ? 8 : 0;
}

/// Of the one whose % is in front; `at` is moved behind it.
Conversion take_conversion(const char*& at) {
  constexpr int32_t kMostPrecision = 1 << 20;
  Conversion conversion;
  while (is_among(*at, "-+ #0")) {
    ++at;
  }
  conversion.width_argument = *at == '*';
  at += conversion.width_argument ? 1 : 0;
  while (!conversion.width_argument && is_digit(*at)) {
    ++at;
  }
  if (*at == '.') {
    ++at;
    conversion.precision_argument = *at == '*';
    at += conversion.precision_argument ? 1 : 0;
    conversion.precision = 0;
    for (; !conversion.precision_argument && is_digit(*at); ++at) {
      const int32_t precision = conversion.precision * 10 + (*at - '0');
      conversion.precision = precision < kMostPrecision ? precision : kMostPrecision;
    }
  }
  bool has_length = false;
  bool is_long = false;
  for (; is_among(*at, "hljztL"); ++at) {
    has_length = true;
    is_long = *at != 'h';
  }
  if (*at != '\0') {
    conversion.size = size_of(*at, has_length, is_long);
    conversion.is_string = *at == 's';
    ++at;
  }
  return conversion;
}

/// Writes a record behind its head, or just counts.
class Writer {
public:
  Writer(const void* arguments, uint32_t alignment, char* place, uint64_t room)
      : next_((uint64_t)arguments), alignment_(alignment), place_(place), room_(room) {}

  /// All that the format needs.
  void write(const char* format) {
    write_string(format, ~uint64_t{0});
    for (const char* at = format; *at != '\0';) {
      if (*at++ == '%') {
        write_arguments(take_conversion(at));
      }
    }
  }

  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] int count() const { return count_; }

private:
  void write_byte(char byte) {
    if (size_ < room_) {
      place_[size_] = byte;
    }
    ++size_;
  }

  void write_string(const char* string, uint64_t limit) {
    for (uint64_t i = 0; i < limit && string[i] != '\0'; ++i) {
      write_byte(string[i]);
    }
    write_byte('\0');
  }

  uint64_t take(uint32_t size) {
    const uint64_t alignment = size < alignment_ ? size : alignment_;
    next_ = (next_ + alignment - 1) & ~(alignment - 1);
    uint64_t value = 0;
    __builtin_memcpy(&value, (const void*)next_, 4);
    if (size == 8) {
      uint32_t upper = 0;
      __builtin_memcpy(&upper, (const char*)next_ + 4, 4);
      value |= uint64_t{upper} << 32;
    }
    next_ += size;
    ++count_;
    return value;
  }

  uint64_t write_value(uint32_t size) {
    const uint64_t value = take(size);
    for (uint32_t i = 0; i < size; ++i) {
      write_byte(static_cast<char>(value >> 8 * i));
    }
    return value;
  }

  void write_arguments(Conversion conversion) {
    if (conversion.size == 0) {
      return;
    }
    if (conversion.width_argument) {
      write_value(4);
    }
    if (conversion.precision_argument) {
      conversion.precision = static_cast<int32_t>(write_value(4));
    }
    if (!conversion.is_string) {
      write_value(conversion.size);
      return;
    }
    const char* const string = (const char*)take(conversion.size);
    write_string(string != nullptr ? string : "(null)",
                 conversion.precision < 0 ? ~uint64_t{0}
                                          : static_cast<uint64_t>(conversion.precision));
  }

  uint64_t next_;
  uint32_t alignment_;
  char* place_;
  uint64_t room_;
  uint64_t size_ = 0;
  int count_ = 0;
};

uint64_t add(uint64_t& number, uint64_t what) {
  return __scoped_atomic_fetch_add(&number, what, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}
void set_size(Record& record, uint32_t size) {
  __scoped_atomic_store_n(&record.size, size, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

} // namespace

extern "C" GANTRY_NOINLINE int __gantry_print(const char* format, const void* arguments,
                                              uint32_t alignment) {
  Output* const output = (Output*)__gantry_output;
  if (output == nullptr || format == nullptr) {
    return -1;
  }
  Writer counter(arguments, alignment, nullptr, 0);
  counter.write(format);
  const uint64_t size = (sizeof(Record) + counter.size() + 7) / 8 * 8;
  const uint64_t begin = add(output->reserved, size);
  Record* const record = (Record*)((char*)(output + 1) + begin);
  if (begin + size > output->capacity) {
    if (begin < output->capacity) {
      set_size(*record, GANTRY_OUTPUT_END);
    }
    add(output->lost, 1);
    return -1;
  }
  set_size(*record, static_cast<uint32_t>(size));
  Writer writer(arguments, alignment, (char*)(record + 1), size - sizeof(Record));
  writer.write(format);
  __scoped_atomic_store_n(&record->complete, 1U, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
  return writer.count();
}

} // namespace gantry::device
