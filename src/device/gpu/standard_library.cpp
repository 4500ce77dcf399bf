// Output, the end of a kernel, and functions of the C and C++ runtime libraries that Clang's code
// calls and neither the driver nor the compiler provides.
#include "device/gpu/standard_library.h"
#include "device/gpu/heap.h"
#include "device/gpu/machine.h"
#include "device/gpu/messages.h"

namespace gantry::device {

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

[[noreturn]] GANTRY_WEAK void abort() {
  machine::trap();
}

/// The program ends on the host alone; in device code these end the kernel, with a message.
[[noreturn]] GANTRY_WEAK void exit(int status) {
  struct {
    int status;
    uint32_t block, thread;
  } arguments = {status, machine::block_in_grid(), machine::thread_in_block()};
  vprintf("gantry: error: in device code: the program was to end with status %d (team %u, thread "
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
