// Functions with declare simd, called from simd loops; uniform and linear arguments.
#include "device.h"

enum { kCount = 300 };

#pragma omp declare target
#pragma omp declare simd uniform(table) linear(i) notinbranch
static int look_up(const int* table, int i) {
  return table[i] * 2 + i;
}

#pragma omp declare simd simdlen(8)
static float blend(float a, float b, int mask) {
  return mask ? a : b;
}

#pragma omp declare simd inbranch
static int limited(int x) {
  return x > 50 ? 50 : x;
}
#pragma omp end declare target

int main(void) {
  require_device();
  int table[kCount];
  int results[kCount];
  float blended[kCount];
  for (int i = 0; i < kCount; ++i) {
    table[i] = i * 11 % 83;
  }
#pragma omp target map(to : table) map(from : results, blended)
  {
#pragma omp simd
    for (int i = 0; i < kCount; ++i) {
      int value = look_up(table, i);
      if (i % 3 == 0) {
        value = limited(value);
      }
      results[i] = value;
    }
#pragma omp parallel for simd num_threads(4) simdlen(16)
    for (int i = 0; i < kCount; ++i) {
      blended[i] = blend((float)i, 0.5f, i & 4);
    }
  }
  int sum = 0;
  for (int i = 0; i < kCount; ++i) {
    const int value = table[i] * 2 + i;
    CHECK_EQUAL(results[i], i % 3 == 0 && value > 50 ? 50 : value);
    CHECK(blended[i] == (i & 4 ? (float)i : 0.5f));
    sum += results[i];
  }
  printf("declare simd: %d\n", sum);
  return pass();
}
