// parallel inside parallel, inside functions, and the levels that the routines tell.
#include "device.h"

#pragma omp declare target
static void inner(int outer, int* marks) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 8; ++i) {
#pragma omp atomic
      marks[outer * 8 + i] += 1;
    }
  }
}
#pragma omp end declare target

int main(void) {
  require_device();
  int marks[64] = {0};
  int levels[3] = {-1, -1, -1};
#pragma omp target map(tofrom : marks, levels)
  {
    levels[0] = omp_get_level();
#pragma omp parallel num_threads(4)
    {
#pragma omp for
      for (int outer = 0; outer < 8; ++outer) {
        inner(outer, marks);
      }
#pragma omp master
      levels[1] = omp_get_level();
#pragma omp barrier
#pragma omp parallel num_threads(2)
      {
        if (omp_get_ancestor_thread_num(1) == 0 && omp_get_thread_num() == 0) {
          levels[2] = omp_get_level();
        }
      }
    }
  }
  for (int i = 0; i < 64; ++i) {
    CHECK_EQUAL(marks[i], 1);
  }
  CHECK_EQUAL(levels[0], 0);
  CHECK_EQUAL(levels[1], 1);
  CHECK_EQUAL(levels[2], 2);
  printf("nested: levels 0 1 2\n");
  return pass();
}
