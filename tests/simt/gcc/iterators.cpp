// Worksharing over iterators and ranges: random access iterators as loop variables, range-based
// for.
#include "device.h"

#pragma omp declare target
struct Range {
  const int* first;
  const int* last;
  const int* begin() const { return first; }
  const int* end() const { return last; }
};
#pragma omp end declare target

int main() {
  require_device();
  int values[150];
  for (int i = 0; i < 150; ++i) {
    values[i] = i * i % 91;
  }
  long pointer_sum = 0;
  long range_sum = 0;
  long worksharing_range = 0;
#pragma omp target map(to : values) map(tofrom : pointer_sum, range_sum, worksharing_range)
  {
#pragma omp parallel for reduction(+ : pointer_sum) num_threads(4)
    for (const int* p = values; p < values + 150; p += 2) {
      pointer_sum += *p;
    }
    const Range range = {values + 10, values + 20};
    for (const int value : range) {
      range_sum += value;
    }
#pragma omp parallel for reduction(+ : worksharing_range) num_threads(4)
    for (const int& value : values) {
      worksharing_range += value;
    }
  }
  long expected[3] = {0, 0, 0};
  for (int i = 0; i < 150; ++i) {
    expected[0] += i % 2 == 0 ? values[i] : 0;
    expected[1] += i >= 10 && i < 20 ? values[i] : 0;
    expected[2] += values[i];
  }
  CHECK_EQUAL(pointer_sum, expected[0]);
  CHECK_EQUAL(range_sum, expected[1]);
  CHECK_EQUAL(worksharing_range, expected[2]);
  printf("iterators: %ld\n", pointer_sum);
  return pass();
}
