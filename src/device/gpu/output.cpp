// C's output.
#include "device/gpu/machine.h"
#include "device/gpu/standard_library.h"

namespace gantry::device {

namespace {

/// What varies lies in memory, and the list is its address.
int print_list(const char* format, __builtin_va_list list) {
  const void* arguments = nullptr;
  __builtin_memcpy(&arguments, &list, sizeof arguments);
  return machine::print_variadic(format, arguments);
}

} // namespace

extern "C" {

#ifdef __AMDGCN__
// For NVIDIA's GPUs, Clang makes the first of the second, and the driver has that.
GANTRY_WEAK int printf(const char* format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  const int written = print_list(format, list);
  __builtin_va_end(list);
  return written;
}
GANTRY_WEAK int vprintf(const char* format, __builtin_va_list list) {
  return print_list(format, list);
}
#endif

GANTRY_WEAK int puts(const char* text) {
  struct {
    const char* text;
  } arguments = {text};
  return machine::print("%s\n", &arguments);
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
  const int written = print_list(format, list);
  __builtin_va_end(list);
  return written;
}
GANTRY_WEAK int fputs(const char* text, void*) {
  struct {
    const char* text;
  } arguments = {text};
  return machine::print("%s", &arguments);
}
GANTRY_WEAK int putchar(int character) {
  struct {
    int character;
  } arguments = {character};
  machine::print("%c", &arguments);
  return character;
}

GANTRY_WEAK int fputc(int character, void*) {
  return putchar(character);
}
GANTRY_WEAK int putc(int character, void*) {
  return putchar(character);
}

/// Clang 19's name for vprintf; `size` is of the arguments.
int __llvm_omp_vprintf(const char* format, void* arguments, uint32_t /*size*/) {
  return machine::print(format, arguments);
}

/// Prints what `error at(execution)` says; 2 is fatal.
void __kmpc_error(Ident* where, int32_t severity, const char* message) {
  struct {
    const char* kind;
    const char* where;
    const char* message;
  } arguments = {severity == 2 ? "error" : "warning", where != nullptr ? where->text : "",
                 message != nullptr ? message : ""};
  machine::print("gantry: %s: in device code, %s %s\n", &arguments);
  if (severity == 2) {
    machine::trap();
  }
}

} // extern "C"

} // namespace gantry::device
