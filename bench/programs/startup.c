// The smallest program with a target region: one kernel, one mapped int. Timed from outside, from
// its start to its end. The floor is built without offloading and so expects the host.
#include <omp.h>

#ifndef EXPECTED_ON_HOST
#define EXPECTED_ON_HOST 0
#endif

int main(void) {
  int on_host = -1;
#pragma omp target map(tofrom : on_host)
  on_host = omp_is_initial_device() != 0;
  return on_host == EXPECTED_ON_HOST ? 0 : 1;
}
