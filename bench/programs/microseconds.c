// Target regions that last MICROSECONDS: additions that wait for each other, on one mapped scalar.
#include "timing.h"

static void run_constructs(long count) {
  long value = 0;
  for (long i = 0; i < count; ++i) {
#pragma omp target map(tofrom : value)
    {
      double sum = (double)value;
      for (int k = 0; k < 1250 * MICROSECONDS; ++k)
        sum += 0x1p-60;
      value = (long)sum + 1;
    }
  }
  require(value == count, "the regions did not count to the number of constructs");
}

int main(void) {
  return report_time(run_constructs, 4e6);
}
