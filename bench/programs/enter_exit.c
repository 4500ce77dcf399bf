// A pair of target enter data and target exit data with one mapped scalar.
#include "timing.h"

static void run_constructs(long count) {
  long value = 7;
  for (long i = 0; i < count; ++i) {
#pragma omp target enter data map(to : value)
#pragma omp target exit data map(from : value)
  }
  require(value == 7 && !omp_target_is_present(&value, omp_get_default_device()),
          "the variable was changed or is still present");
}

int main(void) {
  return report_time(run_constructs, 1e6);
}
