// private, firstprivate, lastprivate (conditional too) and implicit mapping of what a region names.
#include "device.h"

int main(void) {
  require_device();
  int outside = 5;
  double scale = 2.5;
  int values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  struct {
    int a;
    char b;
  } pair = {3, 'x'};
  int scratch = 99;
  double results[4] = {0};
#pragma omp target private(scratch) firstprivate(pair) map(tofrom : results)
  {
    scratch = pair.a + pair.b;
    outside += 1;
    pair.a = 1000;
    values[0] = 50;
    results[0] = scratch;
    results[1] = outside * scale;
  }
  CHECK(results[0] == 3 + 'x');
  CHECK(results[1] == 15);
  CHECK_EQUAL(scratch, 99);
  CHECK_EQUAL(outside, 5);
  CHECK_EQUAL(pair.a, 3);
  CHECK_EQUAL(values[0], 50);

  int last = 0;
  int last_even = -1;
  int offset = 100;
#pragma omp target map(tofrom : last, last_even)
  {
#pragma omp parallel for lastprivate(last) firstprivate(offset) num_threads(4)
    for (int i = 0; i < 57; ++i) {
      offset += 0;
      last = offset + i;
    }
#pragma omp parallel for lastprivate(conditional : last_even) num_threads(4)
    for (int i = 0; i < 57; ++i) {
      if (i % 10 == 4) {
        last_even = i;
      }
    }
  }
  CHECK_EQUAL(last, 156);
  CHECK_EQUAL(last_even, 54);

  // Scalars are copied back with defaultmap(tofrom).
  int counted = 0;
#pragma omp target defaultmap(tofrom : scalar)
  for (int i = 0; i < 10; ++i) {
    counted += values[i] > 5;
  }
  CHECK_EQUAL(counted, 6);
  printf("data sharing: %d %d\n", last, last_even);
  return pass();
}
