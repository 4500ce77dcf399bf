// Constructs while many other sections are mapped: target enter data and exit data of a fresh
// section of 32 bytes, omp_target_is_present at random, and target update of one element. One
// argument, the number of live mappings. Prints the four times.
#include "timing.h"

#include <stdint.h>

enum { kElements = 4, kStride = 8, kFresh = 500 };

static long* storage; ///< sections of kElements, kStride apart
static long live;

static uint64_t random_state = 1;
static long below(long bound) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (long)((random_state >> 33) % (uint64_t)bound);
}

/// The section of a live mapping, and of one that is not mapped but lies among them.
static long* live_section(long i) {
  return storage + i * 2 * kStride;
}
static long* fresh_section(long i) {
  return live_section(i) + kStride;
}

static void run_batch(double times[4]) {
  static long chosen[kFresh];
  const int device = omp_get_default_device();
  const long slice = live / kFresh;
  for (long i = 0; i < kFresh; ++i) {
    chosen[i] = i * slice + below(slice); // each once
  }
  for (long i = kFresh - 1; i > 0; --i) {
    const long other = below(i + 1);
    const long swapped = chosen[i];
    chosen[i] = chosen[other];
    chosen[other] = swapped;
  }
  double begin = nanoseconds();
  for (long i = 0; i < kFresh; ++i) {
    long* section = fresh_section(chosen[i]);
#pragma omp target enter data map(to : section[0 : kElements])
  }
  times[0] = nanoseconds() - begin;

  long present = 0;
  begin = nanoseconds();
  for (long i = 0; i < kFresh; ++i) {
    present += omp_target_is_present(live_section(below(live)) + 1, device);
  }
  times[1] = nanoseconds() - begin;
  require(present == kFresh, "a live mapping is not present");

  begin = nanoseconds();
  for (long i = 0; i < kFresh; ++i) {
    long* section = live_section(below(live));
#pragma omp target update to(section[1 : 1])
  }
  times[2] = nanoseconds() - begin;

  begin = nanoseconds();
  for (long i = 0; i < kFresh; ++i) {
    long* section = fresh_section(chosen[i]);
#pragma omp target exit data map(release : section[0 : kElements])
  }
  times[3] = nanoseconds() - begin;
  require(!omp_target_is_present(fresh_section(chosen[0]), device), "a section is still present");
}

int main(int count, char** arguments) {
  enum { kBatches = 31 };
  require(count == 2, "expects one argument, the number of live mappings");
  require_device();
  live = strtol(arguments[1], NULL, 10);
  require(live >= kFresh, "needs more live mappings");
  storage = calloc((size_t)(live * 2 * kStride), sizeof *storage);
  for (long i = 0; i < live; ++i) {
    long* section = live_section(i);
#pragma omp target enter data map(to : section[0 : kElements])
  }
  double samples[4][kBatches];
  for (int batch = 0; batch < kBatches; ++batch) {
    double times[4];
    run_batch(times);
    for (int i = 0; i < 4; ++i) {
      samples[i][batch] = times[i] / kFresh;
    }
  }
  for (int i = 0; i < 4; ++i) {
    qsort(samples[i], kBatches, sizeof samples[i][0], compare_doubles);
    printf("%.2f%c", samples[i][kBatches / 2], i == 3 ? '\n' : ' ');
  }
  return 0;
}
