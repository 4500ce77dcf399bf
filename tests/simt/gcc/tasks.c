// Explicit tasks on the device: trees, dependences, groups, taskloop, undeferred and final ones.
#include "device.h"

#pragma omp declare target
static int fibonacci(int n) {
  if (n < 2) {
    return n;
  }
  int left;
  int right;
#pragma omp task shared(left) firstprivate(n) final(n < 4) mergeable
  left = fibonacci(n - 1);
#pragma omp task shared(right) firstprivate(n) if (n > 3)
  right = fibonacci(n - 2);
#pragma omp taskwait
  return left + right;
}
#pragma omp end declare target

int main(void) {
  require_device();
  int result = 0;
#pragma omp target map(from : result)
#pragma omp parallel num_threads(4)
#pragma omp single
  result = fibonacci(8);
  CHECK_EQUAL(result, 21);

  int order[4] = {0};
#pragma omp target map(tofrom : order)
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    int value = 1;
#pragma omp task shared(value) depend(out : value)
    {
      value = value * 2 + 1;
      order[0] = value;
    }
#pragma omp task shared(value) depend(inout : value)
    {
      value = value * 2 + 1;
      order[1] = value;
    }
#pragma omp task shared(value) depend(inout : value) priority(5)
    {
      value = value * 2 + 1;
      order[2] = value;
    }
#pragma omp task shared(value) depend(in : value)
    order[3] = value + 1;
#pragma omp taskwait
  }
  CHECK_EQUAL(order[0], 3);
  CHECK_EQUAL(order[1], 7);
  CHECK_EQUAL(order[2], 15);
  CHECK_EQUAL(order[3], 16);

  int done = 0;
  int seen_in_group = 0;
  int squares[100];
#pragma omp target map(tofrom : done, seen_in_group) map(from : squares)
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 20; ++i) {
#pragma omp task
        {
#pragma omp task
          {
#pragma omp atomic
            done += 1;
          }
        }
      }
    }
    seen_in_group = done;
#pragma omp taskloop grainsize(7)
    for (int i = 0; i < 100; ++i) {
      squares[i] = i * i;
    }
  }
  CHECK_EQUAL(seen_in_group, 20);
  for (int i = 0; i < 100; ++i) {
    CHECK_EQUAL(squares[i], i * i);
  }
  printf("tasks: fibonacci %d\n", result);
  return pass();
}
