// A shared library with device code: a kernel, a device global, a target region in a constructor
// and a mapping that outlives the library.
#include <omp.h>

#pragma omp begin declare target
int library_state = 1000;
#pragma omp end declare target

inline int shared_inline_kernel() {
  int x = 0;
#pragma omp target map(from : x)
  x = omp_is_initial_device() ? -1 : 17;
  return x;
}

extern "C" __attribute__((visibility("default"))) int library_call(int argument) {
  int result = -1;
#pragma omp target map(from : result)
  result = omp_is_initial_device() ? -1 : ++library_state + argument;
  return result + shared_inline_kernel();
}

/// Maps an object of the caller's and leaves it so; the mapping's name is in this library.
extern "C" __attribute__((visibility("default"))) void library_map(int* object) {
#pragma omp target enter data map(to : object[0 : 1])
}

namespace {
struct AtLoad {
  AtLoad() { library_call(0); }
} at_load;
} // namespace
