// What the host does for a construct. `constructs check` runs each and checks what it did.
// `constructs time` is for an executor that skips kernels (GANTRY_SIMT_MODE=skip): it prints
// nanoseconds, one for each row of bench/gcc.py, and makes sure that no region ran on the host.
#include "timing.h"

#include <string.h>

#define EACH_8(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define EACH_64(X)                                                                                 \
  EACH_8(X, a0)                                                                                    \
  EACH_8(X, a1) EACH_8(X, a2) EACH_8(X, a3) EACH_8(X, a4) EACH_8(X, a5) EACH_8(X, a6) EACH_8(X, a7)
#define LIST_8(n) n##0, n##1, n##2, n##3, n##4, n##5, n##6, n##7
#define LIST_64                                                                                    \
  LIST_8(a0), LIST_8(a1), LIST_8(a2), LIST_8(a3), LIST_8(a4), LIST_8(a5), LIST_8(a6), LIST_8(a7)

enum { kLength = 64, kBatches = 31 };

static long value;
#define DECLARE(name) static long name[kLength];
EACH_64(DECLARE)

static void empty_region(void) {
#pragma omp target
  {
  }
}

static void one_scalar(void) {
#pragma omp target map(tofrom : value)
  value += 1;
}

static void all_present(void) {
#define INCREMENT(name) name[0] += 1;
#pragma omp target map(tofrom : LIST_64)
  {
    EACH_64(INCREMENT)
  }
}

static void enter_and_exit(void) {
#pragma omp target enter data map(to : value)
#pragma omp target exit data map(from : value)
}

/// Nanoseconds of one construct: the median of batches of about a millisecond.
static double time_of(void (*construct)(void)) {
  double samples[kBatches];
  long count = 16;
  for (int long_enough = 0; long_enough < 2;) {
    const double begin = nanoseconds();
    for (long i = 0; i < count; ++i) {
      construct();
    }
    if (nanoseconds() - begin >= 1e6) {
      ++long_enough;
    } else {
      count *= 2;
      long_enough = 0;
    }
  }
  for (int batch = 0; batch < kBatches; ++batch) {
    const double begin = nanoseconds();
    for (long i = 0; i < count; ++i) {
      construct();
    }
    samples[batch] = (nanoseconds() - begin) / (double)count;
  }
  qsort(samples, kBatches, sizeof samples[0], compare_doubles);
  return samples[kBatches / 2];
}

static void check_constructs(void) {
  require_device();
  empty_region();
  one_scalar();
  require(value == 1, "the region did not count");
  enter_and_exit();
  require(value == 1, "target exit data brought another value than target enter data took");
#pragma omp target enter data map(to : LIST_64)
  all_present();
#pragma omp target exit data map(from : LIST_64)
#define CHECK(name) require(name[0] == 1, "the region did not change its arrays");
  EACH_64(CHECK)
}

static void time_constructs(void) {
  const double empty = time_of(empty_region);
  const double scalar = time_of(one_scalar);
#pragma omp target enter data map(to : LIST_64)
  const double present = time_of(all_present);
#pragma omp target exit data map(from : LIST_64)
  const double enter_exit = time_of(enter_and_exit);
  require(value == 0 && a00[0] == 0, "a region ran, on the host or by an executor that skips none");
  printf("%.2f %.2f %.2f %.2f\n", empty, scalar, present, enter_exit);
}

int main(int count, char** words) {
  require(count == 2, "usage: constructs check|time");
  if (strcmp(words[1], "check") == 0) {
    check_constructs();
  } else {
    time_constructs();
  }
  return 0;
}
