// What the programs of the benchmark share: the proof that target regions run on a device, and the
// time that one construct takes.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <omp.h>

/// Ends the program unless `condition` holds.
static inline void require(int condition, const char* what) {
  if (!condition) {
    fprintf(stderr, "benchmark program: %s\n", what);
    exit(1);
  }
}

static inline void require_device(void) {
  int on_host = 1;
#pragma omp target map(tofrom : on_host)
  on_host = omp_is_initial_device();
  require(!on_host, "target regions run on the host, not on a device");
}

static inline double nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare_doubles(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

/// Prints the time of one construct in nanoseconds. `run_constructs(count)` executes `count` of
/// them and checks what they did. Batches of about `batch_nanoseconds` are timed and the median
/// batch counts, so that a batch which lost its core to another process does not.
static inline int report_time(void (*run_constructs)(long count), double batch_nanoseconds) {
  enum { kBatches = 31 };
  double samples[kBatches];
  require_device();

  // The first batches warm up; one that takes long by accident does not count.
  long count = 16;
  for (int long_enough = 0; long_enough < 2;) {
    const double begin = nanoseconds();
    run_constructs(count);
    if (nanoseconds() - begin >= batch_nanoseconds) {
      ++long_enough;
    } else {
      count *= 2;
      long_enough = 0;
    }
  }
  for (int i = 0; i < kBatches; ++i) {
    const double begin = nanoseconds();
    run_constructs(count);
    samples[i] = (nanoseconds() - begin) / (double)count;
  }
  qsort(samples, kBatches, sizeof samples[0], compare_doubles);
  printf("%.2f\n", samples[kBatches / 2]);
  return 0;
}
