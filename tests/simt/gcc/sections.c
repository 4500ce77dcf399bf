// sections, single, copyprivate, master and masked.
#include "device.h"

int main(void) {
  require_device();
  int section[5] = {0};
  int last = 0;
#pragma omp target map(tofrom : section, last)
#pragma omp parallel num_threads(4)
#pragma omp sections lastprivate(last)
  {
    section[0] += 1;
#pragma omp section
    section[1] += 2;
#pragma omp section
    section[2] += 3;
#pragma omp section
    section[3] += 4;
#pragma omp section
    {
      section[4] += 5;
      last = 77;
    }
  }
  for (int i = 0; i < 5; ++i) {
    CHECK_EQUAL(section[i], i + 1);
  }
  CHECK_EQUAL(last, 77);

  int singles = 0;
  int masters = 0;
  int received = 0;
  int threads = 0;
#pragma omp target map(tofrom : singles, masters, received, threads)
#pragma omp parallel num_threads(5)
  {
    int value = -1;
    for (int round = 0; round < 20; ++round) {
#pragma omp single
      singles += 1;
    }
#pragma omp single copyprivate(value)
    value = 42;
#pragma omp atomic
    received += value;
#pragma omp barrier
#pragma omp master
    {
      masters += 1;
      threads = omp_get_num_threads();
    }
#pragma omp masked filter(0)
    masters += 1;
#pragma omp single nowait
    singles += 100;
  }
  CHECK_EQUAL(singles, 120);
  CHECK_EQUAL(masters, 2);
  CHECK_EQUAL(received, 42 * threads);
  printf("sections: done\n");
  return pass();
}
