// flags: -O0
// Code without optimisation: every variable on the soft stack, every function called.
#include "device.h"

struct Pair {
  int first;
  double second;
};

#pragma omp declare target
int total = 0;

int twice(int x) {
  return 2 * x;
}

void store(struct Pair* pair, int i) {
  pair->first = twice(i);
  pair->second = i / 2.0;
}

long sum_of(const struct Pair* pairs, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    switch (pairs[i].first % 4) {
    case 0:
      sum += pairs[i].first;
      break;
    default:
      sum += (long)(pairs[i].second * 2);
    }
  }
  return sum;
}
#pragma omp end declare target

int main(void) {
  require_device();
  struct Pair pairs[40];
  long sum = 0;
#pragma omp target map(from : pairs) map(tofrom : sum)
  {
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 40; ++i) {
      store(&pairs[i], i);
    }
    sum = sum_of(pairs, 40);
    total += 3;
  }
  long expected = 0;
  for (int i = 0; i < 40; ++i) {
    CHECK_EQUAL(pairs[i].first, 2 * i);
    CHECK(pairs[i].second == i / 2.0);
    expected += i % 2 == 0 ? 2 * i : i;
  }
  CHECK_EQUAL(sum, expected);
#pragma omp target update from(total)
  CHECK_EQUAL(total, 3);

  int simd_sum = 0;
#pragma omp target teams distribute parallel for simd num_teams(2) map(tofrom : simd_sum)          \
    reduction(+ : simd_sum)
  for (int i = 0; i < 100; ++i) {
    simd_sum += twice(i);
  }
  CHECK_EQUAL(simd_sum, 9900);
  printf("unoptimised: %ld\n", sum);
  return pass();
}
