// A target region that does nothing: what a launch costs.
#include "timing.h"

static void run_constructs(long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp target
    {
    }
  }
}

int main(void) {
  return report_time(run_constructs, 1e6);
}
