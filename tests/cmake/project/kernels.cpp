#include "kernels.h"

#include <omp.h>

bool on_device() {
  bool on_host = true;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  return !on_host;
}

void twice(double* values, int count) {
#pragma omp target teams distribute parallel for map(tofrom : values[0 : count])
  for (int i = 0; i < count; ++i) {
    values[i] *= 2;
  }
}
