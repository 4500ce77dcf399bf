// Every schedule of worksharing loops gives each iteration to one thread, whatever the bounds, the
// step and the loop variable's type.
#include "device.h"

enum { kCount = 997 };

#define LOOP_WITH(clause)                                                                          \
  do {                                                                                             \
    int times[kCount] = {0};                                                                       \
    _Pragma("omp target map(tofrom : times)") _Pragma(clause) for (int i = 0; i < kCount; ++i) {   \
      times[i] += 1;                                                                               \
    }                                                                                              \
    for (int i = 0; i < kCount; ++i) {                                                             \
      CHECK_EQUAL(times[i], 1);                                                                    \
    }                                                                                              \
    ++tested;                                                                                      \
  } while (0)

int main(void) {
  require_device();
  int tested = 0;
  LOOP_WITH("omp parallel for");
  LOOP_WITH("omp parallel for schedule(static)");
  LOOP_WITH("omp parallel for schedule(static, 1)");
  LOOP_WITH("omp parallel for schedule(static, 7)");
  LOOP_WITH("omp parallel for schedule(dynamic)");
  LOOP_WITH("omp parallel for schedule(dynamic, 13)");
  LOOP_WITH("omp parallel for schedule(monotonic : dynamic, 5)");
  LOOP_WITH("omp parallel for schedule(nonmonotonic : dynamic, 5)");
  LOOP_WITH("omp parallel for schedule(guided)");
  LOOP_WITH("omp parallel for schedule(guided, 9)");
  LOOP_WITH("omp parallel for schedule(auto)");
  LOOP_WITH("omp parallel for schedule(runtime)");
  LOOP_WITH("omp parallel for simd schedule(static, 64)");
  LOOP_WITH("omp parallel for simd schedule(simd : dynamic, 10)");

  long long total = 0;
  unsigned long long unsigned_total = 0;
#pragma omp target map(tofrom : total, unsigned_total)
  {
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : total)
    for (long long i = 5000000000LL; i > 4999999000LL; i -= 7) {
      total += i;
    }
#pragma omp parallel for schedule(guided) reduction(+ : unsigned_total)
    for (unsigned long long i = 0xFFFFFFFFFFFFFF00ULL; i < 0xFFFFFFFFFFFFFFF0ULL; i += 3) {
      unsigned_total += i & 0xFF;
    }
  }
  long long expected_total = 0;
  for (long long i = 5000000000LL; i > 4999999000LL; i -= 7) {
    expected_total += i;
  }
  unsigned long long expected_unsigned = 0;
  for (unsigned long long i = 0xFFFFFFFFFFFFFF00ULL; i < 0xFFFFFFFFFFFFFFF0ULL; i += 3) {
    expected_unsigned += i & 0xFF;
  }
  CHECK_EQUAL(total, expected_total);
  CHECK_EQUAL(unsigned_total, expected_unsigned);

  // A static schedule is the same in two loops, so that nowait between them is safe.
  int first[kCount];
  int second[kCount];
#pragma omp target map(from : first, second)
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kCount; ++i) {
      first[i] = i * 2;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < kCount; ++i) {
      second[i] = first[i] + 1;
    }
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(second[i], i * 2 + 1);
  }
  printf("schedules: %d\n", tested);
  return pass();
}
