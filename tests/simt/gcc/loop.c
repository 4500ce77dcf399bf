// The loop construct, alone and combined, with bind.
#include "device.h"

enum { kCount = 500 };

int main(void) {
  require_device();
  int values[kCount];
#pragma omp target teams loop num_teams(3) map(from : values)
  for (int i = 0; i < kCount; ++i) {
    values[i] = i * 5;
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(values[i], i * 5);
  }
  long sum = 0;
#pragma omp target parallel loop map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += values[i];
  }
  CHECK_EQUAL(sum, 5L * kCount * (kCount - 1) / 2);
#pragma omp target map(tofrom : values)
#pragma omp parallel num_threads(4)
  {
#pragma omp loop bind(parallel)
    for (int i = 0; i < kCount; ++i) {
      values[i] += 1;
    }
  }
#pragma omp target map(tofrom : values)
#pragma omp loop bind(thread)
  for (int i = 0; i < kCount; ++i) {
    values[i] += 1;
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(values[i], i * 5 + 2);
  }
  printf("loop: %ld\n", sum);
  return pass();
}
