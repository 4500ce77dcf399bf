// A target data region with one mapped scalar: entering and leaving a device data environment.
#include "timing.h"

static void run_constructs(long count) {
  long value = 7;
  for (long i = 0; i < count; ++i) {
#pragma omp target data map(tofrom : value)
    {
    }
  }
  require(value == 7, "mapping changed the variable");
}

int main(void) {
  int value = 0;
#pragma omp target data map(tofrom : value)
  require(omp_target_is_present(&value, omp_get_default_device()),
          "the variable is not present in the region that maps it");
  return report_time(run_constructs, 1e6);
}
