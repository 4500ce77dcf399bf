// The first use of the runtime, on one thread, while another one is inside dlopen and runs the
// constructors of a library. That thread holds the dynamic loader's lock and comes to the runtime
// with a target region; the first one may wait for the loader, but not with a lock of the
// runtime's. Argument: the library.
#include "check.h"

#include <dlfcn.h>

int main(int argc, char** argv) {
  CHECK(argc == 2);
  // libomp's first use waits for the loader under a lock of its own; see libraries.cpp.
  CHECK(omp_get_max_threads() > 0);
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  auto* finish = reinterpret_cast<int (*)()>(dlsym(library, "finish"));
  CHECK(finish != nullptr);
  CHECK_EQUAL(finish(), 2);
}
