// The end of a kernel, and functions of the C and C++ runtime libraries that Clang's code
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

} // extern "C"

} // namespace gantry::device
