// parallel on one team: thread numbers, num_threads, if, private copies, many regions in a row.
#include "device.h"

int main(void) {
  require_device();
  int threads = 0;
  int seen[64] = {0};
#pragma omp target map(tofrom : threads, seen)
#pragma omp parallel
  {
#pragma omp atomic
    seen[omp_get_thread_num()] += 1;
#pragma omp single
    threads = omp_get_num_threads();
  }
  CHECK(threads >= 1 && threads <= 64);
  for (int i = 0; i < 64; ++i) {
    CHECK_EQUAL(seen[i], i < threads);
  }

  int three = 0;
  int alone = 0;
#pragma omp target map(from : three, alone)
  {
#pragma omp parallel num_threads(3)
#pragma omp master
    three = omp_get_num_threads();
#pragma omp parallel if (0)
    alone = omp_get_num_threads();
  }
  CHECK(three >= 1 && three <= 3);
  CHECK_EQUAL(alone, 1);

  // A hundred regions reuse the same threads.
  int rounds[4] = {0};
#pragma omp target map(tofrom : rounds)
  for (int round = 0; round < 100; ++round) {
#pragma omp parallel num_threads(4)
    {
#pragma omp for
      for (int i = 0; i < 4; ++i) {
        rounds[i] += round;
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    CHECK_EQUAL(rounds[i], 4950);
  }

  // Each thread's copy is its own.
  int shared_value = 5;
  int sums = 0;
#pragma omp target map(to : shared_value) map(tofrom : sums)
  {
    int value = shared_value;
#pragma omp parallel num_threads(4) firstprivate(value) reduction(+ : sums)
    {
      value += omp_get_thread_num();
      sums += value - omp_get_thread_num();
    }
    sums = sums % 5 + value;
  }
  CHECK_EQUAL(sums, 5);
  printf("parallel: threads and regions\n");
  return pass();
}
