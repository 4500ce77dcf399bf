// The end of a kernel, and functions of the C and C++ runtime libraries that Clang's code
// calls and neither the driver nor the compiler provides.
#include "device/gpu/standard_library.h"
#include "device/gpu/heap.h"
#include "device/gpu/machine.h"
#include "device/gpu/messages.h"

namespace gantry::device {
namespace {

/// There are no exceptions in device code.
[[noreturn]] void thrown(const char* type, const char* text) {
  struct {
    const char* type;
    const char* text;
    uint32_t block, thread;
  } arguments = {type, text == nullptr ? "no text" : text, machine::block_in_grid(),
                 machine::thread_in_block()};
  machine::print("gantry: error: in device code: a %s was thrown: %s (team %u, thread %u)\n",
                 &arguments);
  machine::trap();
}

} // namespace

extern "C" {

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

[[noreturn]] GANTRY_WEAK void abort() {
  machine::trap();
}

/// The program ends on the host alone; in device code these end the kernel, with a message.
[[noreturn]] GANTRY_WEAK void exit(int status) {
  struct {
    int status;
    uint32_t block, thread;
  } arguments = {status, machine::block_in_grid(), machine::thread_in_block()};
  machine::print(
      "gantry: error: in device code: the program was to end with status %d (team %u, thread "
      "%u)\n",
      &arguments);
  machine::trap();
}
[[noreturn]] GANTRY_WEAK void _Exit(int status) {
  exit(status);
}
[[noreturn]] GANTRY_WEAK void quick_exit(int status) {
  exit(status);
}

[[noreturn]] GANTRY_WEAK void __assert_fail(const char* text, const char* file, uint32_t line,
                                            const char* function) {
  machine::assertion_failed(text, file, line, function);
}

/// A static object of a function lives until the image goes away, and nothing is left then.
GANTRY_WEAK int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
GANTRY_WEAK void* __dso_handle = nullptr;

[[noreturn]] GANTRY_WEAK void __cxa_pure_virtual() {
  fail("a pure virtual function was called");
}

// What libstdc++'s templates call to throw an exception, under the names of its C++ functions.

#define GANTRY_THROWN(name, length)                                                                \
  [[noreturn]] GANTRY_WEAK void __gantry_throw_##name() __asm__("_ZSt" #length "__throw_" #name    \
                                                                "v");                              \
  void __gantry_throw_##name() {                                                                   \
    thrown("std::" #name, nullptr);                                                                \
  }
#define GANTRY_THROWN_WITH_TEXT(name, length)                                                      \
  [[noreturn]] GANTRY_WEAK void __gantry_throw_##name(const char* text) __asm__(                   \
      "_ZSt" #length "__throw_" #name "PKc");                                                      \
  void __gantry_throw_##name(const char* text) {                                                   \
    thrown("std::" #name, text);                                                                   \
  }

GANTRY_THROWN(bad_alloc, 17)
GANTRY_THROWN(bad_array_new_length, 28)
GANTRY_THROWN(bad_cast, 16)
GANTRY_THROWN(bad_exception, 21)
GANTRY_THROWN(bad_function_call, 25)
GANTRY_THROWN(bad_typeid, 18)
GANTRY_THROWN_WITH_TEXT(domain_error, 20)
GANTRY_THROWN_WITH_TEXT(invalid_argument, 24)
GANTRY_THROWN_WITH_TEXT(length_error, 20)
GANTRY_THROWN_WITH_TEXT(logic_error, 19)
GANTRY_THROWN_WITH_TEXT(out_of_range, 20)
GANTRY_THROWN_WITH_TEXT(overflow_error, 22)
GANTRY_THROWN_WITH_TEXT(range_error, 19)
GANTRY_THROWN_WITH_TEXT(runtime_error, 21)
GANTRY_THROWN_WITH_TEXT(underflow_error, 23)

/// The text is a format; what it formats, places and sizes, is left out.
[[noreturn]] GANTRY_WEAK void
__gantry_throw_out_of_range_fmt(const char* format,
                                ...) __asm__("_ZSt24__throw_out_of_range_fmtPKcz");
void __gantry_throw_out_of_range_fmt(const char* format, ...) {
  thrown("std::out_of_range", format);
}

} // extern "C"

} // namespace gantry::device
