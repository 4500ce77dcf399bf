// For GANTRY_CHECK=map: a declare target variable of which the device has an old value. The test
// compares the message word for word, so lines may not move: see worker_test.py.
#include "check.h"

#pragma omp begin declare target
int on_both[100];
#pragma omp end declare target

static int on_device() {
  int seen = 0;
#pragma omp target map(from : seen) // a region
  seen = on_both[0];
  return seen;
}

int main() {
  on_both[1] = 1; // nobody has asked for a copy
  CHECK_EQUAL(on_device(), 0);
#pragma omp target update to(on_both) // copies the variable
  CHECK_EQUAL(on_device(), 0);
  on_both[0] = 2;
  CHECK_EQUAL(on_device(), 0);
#pragma omp target update to(on_both)
  CHECK_EQUAL(on_device(), 2);
}
