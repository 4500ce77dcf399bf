// ordered regions run in the order of the iterations. (GCC 12 does not compile loops with
// ordered(n) for a device.)
#include "device.h"

enum { kCount = 120 };

int main(void) {
  require_device();
  int order[kCount];
  int next = 0;
#pragma omp target map(from : order) map(tofrom : next)
#pragma omp parallel for ordered schedule(dynamic, 3) num_threads(4)
  for (int i = 0; i < kCount; ++i) {
    const int square = i * i;
#pragma omp ordered
    {
      order[next] = square;
      next += 1;
    }
  }
  CHECK_EQUAL(next, kCount);
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(order[i], i * i);
  }

  next = 0;
#pragma omp target map(from : order) map(tofrom : next)
#pragma omp parallel for ordered schedule(static, 1) num_threads(4)
  for (int i = kCount - 1; i >= 0; --i) {
#pragma omp ordered
    order[next++] = i;
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(order[i], kCount - 1 - i);
  }

  printf("ordered: %d regions\n", 2 * kCount);
  return pass();
}
