// A program that closes every descriptor it does not know, as daemons do, and then loads a library
// with device code. Argument: the library.
#include "check.h"

#include <dlfcn.h>
#include <unistd.h>

static int region() {
  int result = 0;
#pragma omp target map(from : result)
  result = omp_is_initial_device() ? -1 : 1;
  return result;
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  CHECK_EQUAL(region(), 1);
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    close(descriptor);
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(library != nullptr);
  auto* call = reinterpret_cast<int (*)(int)>(dlsym(library, "library_call"));
  CHECK(call != nullptr);
  CHECK_EQUAL(call(5), 1002 + 5 + 17);
  CHECK_EQUAL(region(), 1);
  CHECK_EQUAL(dlclose(library), 0);
  CHECK_EQUAL(region(), 1);
}
