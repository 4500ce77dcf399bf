// Every reduction operator of C over teams, threads and lanes, for integers and floating point. The
// floating-point values are such that each order of adding gives the same sum.
#include "device.h"

enum { kCount = 700 };

int main(void) {
  require_device();
  int values[kCount];
  for (int i = 0; i < kCount; ++i) {
    values[i] = i * 37 % 211 + 1;
  }
  int sum = 3;
  int difference = 7;
  unsigned product = 1;
  int smallest = 1000;
  int largest = -1000;
  int every = 1;
  int some = 0;
  unsigned conjunction = 0xFFFFFFFF;
  unsigned disjunction = 0;
  unsigned parity = 0x5A5A;
#pragma omp target teams distribute parallel for num_teams(4) map(to : values) reduction(+ : sum)  \
    reduction(- : difference) reduction(* : product) reduction(min : smallest)                     \
    reduction(max : largest) reduction(&& : every) reduction(|| : some) reduction(& : conjunction) \
    reduction(| : disjunction) reduction(^ : parity)
  for (int i = 0; i < kCount; ++i) {
    sum += values[i];
    difference -= values[i];
    product *= (unsigned)values[i] * 2 + 1;
    smallest = values[i] < smallest ? values[i] : smallest;
    largest = values[i] > largest ? values[i] : largest;
    every = every && values[i] > 0;
    some = some || values[i] == 211;
    conjunction &= ~(1u << values[i] % 5);
    disjunction |= 1u << values[i] % 29;
    parity ^= (unsigned)values[i] << i % 7;
  }
  int expected_sum = 3;
  int expected_difference = 7;
  unsigned expected_product = 1;
  unsigned expected_parity = 0x5A5A;
  for (int i = 0; i < kCount; ++i) {
    expected_sum += values[i];
    expected_difference -= values[i];
    expected_product *= (unsigned)values[i] * 2 + 1;
    expected_parity ^= (unsigned)values[i] << i % 7;
  }
  CHECK_EQUAL(sum, expected_sum);
  CHECK_EQUAL(product, expected_product);
  CHECK_EQUAL(difference, expected_difference);
  CHECK_EQUAL(smallest, 1);
  CHECK_EQUAL(largest, 211);
  CHECK_EQUAL(every, 1);
  CHECK_EQUAL(some, 1);
  CHECK_EQUAL(conjunction, 0xFFFFFFE0);
  CHECK_EQUAL(disjunction, 0x1FFFFFFF);
  CHECK_EQUAL(parity, expected_parity);

  float float_sum = 0;
  float float_largest = -1;
  double double_sum = 0;
  double double_product = 1;
  double double_smallest = 1e9;
  long long wide_sum = 0;
  unsigned long long wide_parity = 0;
  signed char small_sum = 0;
  short short_largest = 0;
#pragma omp target map(to : values)                                                                \
    map(tofrom : float_sum, float_largest, double_sum, double_product, double_smallest, wide_sum,  \
            wide_parity, small_sum, short_largest)
#pragma omp parallel for simd reduction(+ : float_sum, double_sum, wide_sum, small_sum)            \
    reduction(max : float_largest, short_largest) reduction(* : double_product)                    \
    reduction(min : double_smallest) reduction(^ : wide_parity)
  for (int i = 0; i < kCount; ++i) {
    float_sum += 0.5f * (float)values[i];
    float_largest = (float)values[i] > float_largest ? (float)values[i] : float_largest;
    double_sum += 0.25 * values[i];
    double_product *= i % 35 == 0 ? 2.0 : 1.0;
    double_smallest = values[i] < double_smallest ? values[i] : double_smallest;
    wide_sum += 10000000000LL * values[i];
    wide_parity ^= 1ULL << values[i] % 64;
    small_sum = (signed char)(small_sum + i % 3 - 1);
    short_largest = (short)(values[i] * 100 > short_largest ? values[i] * 100 : short_largest);
  }
  float expected_float = 0;
  double expected_double = 0;
  long long expected_wide = 0;
  unsigned long long expected_wide_parity = 0;
  signed char expected_small = 0;
  for (int i = 0; i < kCount; ++i) {
    expected_float += 0.5f * (float)values[i];
    expected_double += 0.25 * values[i];
    expected_wide += 10000000000LL * values[i];
    expected_wide_parity ^= 1ULL << values[i] % 64;
    expected_small = (signed char)(expected_small + i % 3 - 1);
  }
  CHECK(float_sum == expected_float);
  CHECK(float_largest == 211);
  CHECK(double_sum == expected_double);
  CHECK(double_product == 1048576);
  CHECK(double_smallest == 1);
  CHECK_EQUAL(wide_sum, expected_wide);
  CHECK_EQUAL(wide_parity, expected_wide_parity);
  CHECK_EQUAL(small_sum, expected_small);
  CHECK_EQUAL(short_largest, 21100);
  printf("reductions: sum %d, product %u, parity %u\n", sum, product, parity);
  return pass();
}
