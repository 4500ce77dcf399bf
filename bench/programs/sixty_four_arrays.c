// 64 small arrays mapped and unmapped by constructs of their own.
#include "timing.h"

enum { kArrays = 64, kLength = 8 };
static long arrays[kArrays][kLength];

static void run_constructs(long count) {
  for (long construct = 0; construct < count; ++construct) {
    for (int i = 0; i < kArrays; ++i) {
      arrays[i][0] = construct + i;
#pragma omp target enter data map(to : arrays[i : 1])
    }
    for (int i = 0; i < kArrays; ++i) {
#pragma omp target exit data map(from : arrays[i : 1])
    }
  }
  require(arrays[kArrays - 1][0] == count - 1 + kArrays - 1, "the arrays have changed");
}

int main(void) {
  return report_time(run_constructs, 1e6);
}
