// A target region with one mapped scalar: a launch, and one variable that becomes present and goes.
#include "timing.h"

static void run_constructs(long count) {
  long value = 0;
  for (long i = 0; i < count; ++i) {
#pragma omp target map(tofrom : value)
    value += 1;
  }
  require(value == count, "the regions did not count to the number of constructs");
}

int main(void) {
  return report_time(run_constructs, 1e6);
}
