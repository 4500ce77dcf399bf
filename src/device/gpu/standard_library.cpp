// The C library's functions that device code may come to call, and that neither the driver nor the
// compiler brings. All are weak: a program may have its own.
#include "heap.h"
#include "machine.h"
#include "messages.h"

namespace gantry::device {

#define GANTRY_WEAK [[gnu::weak]]

extern "C" {

GANTRY_WEAK size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') {
    ++length;
  }
  return length;
}

GANTRY_WEAK int strcmp(const char* left, const char* right) {
  while (*left != '\0' && *left == *right) {
    ++left;
    ++right;
  }
  return static_cast<unsigned char>(*left) - static_cast<unsigned char>(*right);
}

GANTRY_WEAK int strncmp(const char* left, const char* right, size_t count) {
  while (count != 0 && *left != '\0' && *left == *right) {
    ++left;
    ++right;
    --count;
  }
  return count == 0 ? 0 : static_cast<unsigned char>(*left) - static_cast<unsigned char>(*right);
}

GANTRY_WEAK char* strcpy(char* to, const char* from) {
  for (size_t i = 0;; ++i) {
    to[i] = from[i];
    if (from[i] == '\0') {
      return to;
    }
  }
}

GANTRY_WEAK char* strncpy(char* to, const char* from, size_t count) {
  size_t i = 0;
  for (; i < count && from[i] != '\0'; ++i) {
    to[i] = from[i];
  }
  for (; i < count; ++i) {
    to[i] = '\0';
  }
  return to;
}

GANTRY_WEAK char* strcat(char* to, const char* from) {
  strcpy(to + strlen(to), from);
  return to;
}

GANTRY_WEAK char* strchr(const char* text, int character) {
  for (;; ++text) {
    if (*text == static_cast<char>(character)) {
      return const_cast<char*>(text);
    }
    if (*text == '\0') {
      return nullptr;
    }
  }
}

GANTRY_WEAK char* strrchr(const char* text, int character) {
  const char* found = nullptr;
  for (;; ++text) {
    if (*text == static_cast<char>(character)) {
      found = text;
    }
    if (*text == '\0') {
      return const_cast<char*>(found);
    }
  }
}

GANTRY_WEAK int memcmp(const void* left, const void* right, size_t count) {
  const auto* a = static_cast<const unsigned char*>(left);
  const auto* b = static_cast<const unsigned char*>(right);
  for (size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) {
      return a[i] - b[i];
    }
  }
  return 0;
}

GANTRY_WEAK void* memchr(const void* place, int value, size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(place);
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] == static_cast<unsigned char>(value)) {
      return const_cast<unsigned char*>(bytes + i);
    }
  }
  return nullptr;
}

GANTRY_WEAK void* calloc(size_t count, size_t size) {
  if (size != 0 && count > ~size_t{0} / size) {
    return nullptr;
  }
  void* const place = malloc(count * size);
  if (place != nullptr) {
    __builtin_memset(place, 0, count * size);
  }
  return place;
}

GANTRY_WEAK int puts(const char* text) {
  struct {
    const char* text;
  } arguments = {text};
  return vprintf("%s\n", &arguments);
}

/// All streams are the device's one output.
GANTRY_WEAK void* stdout = nullptr;
GANTRY_WEAK void* stderr = nullptr;
GANTRY_WEAK int fflush(void*) {
  return 0;
}
GANTRY_WEAK int fprintf(void*, const char* format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  // What varies lies in memory as vprintf wants it, and the list is its address.
  void* arguments = nullptr;
  __builtin_memcpy(&arguments, &list, sizeof arguments);
  const int written = vprintf(format, arguments);
  __builtin_va_end(list);
  return written;
}
GANTRY_WEAK int fputs(const char* text, void*) {
  struct {
    const char* text;
  } arguments = {text};
  return vprintf("%s", &arguments);
}
GANTRY_WEAK int putchar(int character) {
  struct {
    int character;
  } arguments = {character};
  vprintf("%c", &arguments);
  return character;
}

GANTRY_WEAK int fputc(int character, void*) {
  return putchar(character);
}

/// Clang 19's name for vprintf; `size` is of the arguments.
int __llvm_omp_vprintf(const char* format, void* arguments, uint32_t /*size*/) {
  return vprintf(format, arguments);
}

GANTRY_WEAK int abs(int value) {
  return value < 0 ? -value : value;
}
GANTRY_WEAK long labs(long value) {
  return value < 0 ? -value : value;
}

[[noreturn]] GANTRY_WEAK void abort() {
  machine::trap();
}

void __assertfail(const char* text, const char* file, uint32_t line, const char* function,
                  size_t character_size);

[[noreturn]] GANTRY_WEAK void __assert_fail(const char* text, const char* file, uint32_t line,
                                            const char* function) {
  __assertfail(text, file, line, function, 1);
  machine::trap();
}

/// Prints what `error at(execution)` says; 2 is fatal.
void __kmpc_error(Ident* where, int32_t severity, const char* message) {
  struct {
    const char* kind;
    const char* where;
    const char* message;
  } arguments = {severity == 2 ? "error" : "warning", where != nullptr ? where->text : "",
                 message != nullptr ? message : ""};
  vprintf("gantry: %s: in device code, %s %s\n", &arguments);
  if (severity == 2) {
    machine::trap();
  }
}

/// A static object of a function lives until the image goes away, and nothing is left then.
GANTRY_WEAK int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
GANTRY_WEAK void* __dso_handle = nullptr;

[[noreturn]] GANTRY_WEAK void __cxa_pure_virtual() {
  fail("a pure virtual function was called");
}

} // extern "C"

} // namespace gantry::device
