// THREADS host threads launch at once, each mapping a variable of its own: wall time divided by the
// number of all launches.
#include "timing.h"

static void run_constructs(long count) {
  long sum = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum)
  for (long i = 0; i < count; ++i) {
    long value = i;
#pragma omp target map(tofrom : value)
    value += 1;
    sum += value;
  }
  require(sum == count * (count + 1) / 2, "the regions did not add up");
}

// Long batches: a parallel region with more threads than cores ends with some waiting.
int main(void) {
  return report_time(run_constructs, 2e7);
}
