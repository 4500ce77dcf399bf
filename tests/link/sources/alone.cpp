// A program of one object, with no call to another. It fails where the region runs on the host.
#include <omp.h>

int main() {
  int result = 0;
#pragma omp target map(from : result)
  result = omp_is_initial_device() ? 0 : 1;
  return result - 1;
}
