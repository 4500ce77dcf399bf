// Functions with frames of their own that lanes of a simd loop call. The frames lie on a stack in
// each lane's local memory; all lanes find it through one generic address in shared memory, which
// stands for another place in each thread.
#include "device.h"

#include <stdint.h>

enum { kCount = 100 };

#pragma omp declare target
__attribute__((noinline)) static int digits_reversed(int value) {
  char digits[12];
  int length = 0;
  do {
    digits[length++] = (char)(value % 10);
    value /= 10;
  } while (value != 0);
  int result = 0;
  for (int i = 0; i < length; ++i) {
    result = result * 10 + digits[i];
  }
  return result;
}

__attribute__((noinline)) static void split(uint32_t value, uint32_t* high, uint32_t* low) {
  *high = value >> 16;
  *low = value & 0xFFFF;
}

static long path(int n) {
  volatile int here[3] = {n, 2 * n, n % 3};
  return n <= 0 ? 0 : here[0] + here[2] + path(n - 1 - here[2]);
}
#pragma omp end declare target

int main(void) {
  require_device();
  int reversed[kCount];
  uint32_t sums[kCount];
  long paths[kCount];
#pragma omp target map(from : reversed, sums, paths)
  {
#pragma omp simd
    for (int i = 0; i < kCount; ++i) {
      reversed[i] = digits_reversed(i * 97);
    }
    uint32_t high;
    uint32_t low;
#pragma omp simd private(high, low)
    for (int i = 0; i < kCount; ++i) {
      split((uint32_t)i * 2654435761u, &high, &low);
      sums[i] = high * 3 + low;
    }
#pragma omp parallel for simd num_threads(4)
    for (int i = 0; i < kCount; ++i) {
      paths[i] = path(i % 20);
    }
  }
  long total = 0;
  for (int i = 0; i < kCount; ++i) {
    const uint32_t value = (uint32_t)i * 2654435761u;
    CHECK_EQUAL(reversed[i], digits_reversed(i * 97));
    CHECK_EQUAL(sums[i], (value >> 16) * 3 + (value & 0xFFFF));
    CHECK_EQUAL(paths[i], path(i % 20));
    total += reversed[i] + paths[i];
  }
  printf("simd calls: %ld\n", total);
  return pass();
}
