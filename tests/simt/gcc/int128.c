// 64-bit multiplication and division and 128-bit integers, which GCC makes of several instructions
// or of calls into libgcc.
#include "device.h"

#include <stdint.h>

typedef unsigned __int128 Wide;
typedef __int128 SignedWide;

enum { kCount = 24 };

static uint64_t value_of(int i) {
  const uint64_t mixed = (uint64_t)i * 0x9E3779B97F4A7C15ULL;
  return i % 3 == 0 ? mixed >> i % 50 : mixed;
}

int main(void) {
  require_device();
  uint64_t a[kCount];
  uint64_t b[kCount];
  for (int i = 0; i < kCount; ++i) {
    a[i] = value_of(i + 1);
    b[i] = value_of(2 * i + 3) | 1;
  }
  uint64_t low[8][kCount];
  uint64_t high[8][kCount];
#pragma omp target map(to : a, b) map(from : low, high)
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < kCount; ++i) {
    const Wide x = (Wide)a[i] << 64 | b[i];
    const Wide y = (Wide)b[i] << i % 40 | 1;
    const SignedWide s = (SignedWide)x;
    Wide r[8];
    r[0] = (Wide)a[i] * b[i];
    r[1] = x / y;
    r[2] = x % y;
    r[3] = x + y * 3;
    r[4] = x >> i * 5 ^ y << i * 5;
    r[5] = (Wide)(s / -7);
    r[6] = (Wide)(s >> 100);
    r[7] = (Wide)((int64_t)a[i] % (int64_t)(b[i] >> 20 | 1)) + (x < y) + (s < 0);
    for (int k = 0; k < 8; ++k) {
      low[k][i] = (uint64_t)r[k];
      high[k][i] = (uint64_t)(r[k] >> 64);
    }
  }
  uint64_t hash = 0;
  for (int i = 0; i < kCount; ++i) {
    const Wide x = (Wide)a[i] << 64 | b[i];
    const Wide y = (Wide)b[i] << i % 40 | 1;
    const SignedWide s = (SignedWide)x;
    const Wide r[8] = {(Wide)a[i] * b[i],
                       x / y,
                       x % y,
                       x + y * 3,
                       x >> i * 5 ^ y << i * 5,
                       (Wide)(s / -7),
                       (Wide)(s >> 100),
                       (Wide)((int64_t)a[i] % (int64_t)(b[i] >> 20 | 1)) + (x < y) + (s < 0)};
    for (int k = 0; k < 8; ++k) {
      CHECK_EQUAL(low[k][i], (uint64_t)r[k]);
      CHECK_EQUAL(high[k][i], (uint64_t)(r[k] >> 64));
      hash = hash * 31 + low[k][i] + high[k][i];
    }
  }

  // Overflow checks.
  int flags = 0;
  long sum = INT64_MAX - 2;
#pragma omp target map(tofrom : flags, sum)
  {
    long result;
    unsigned product;
    flags += __builtin_add_overflow(sum, 2L, &result);
    flags += 2 * __builtin_add_overflow(sum, 3L, &result);
    flags += 4 * __builtin_mul_overflow(65536u, 65535u, &product);
    flags += 8 * __builtin_mul_overflow(65536u, 65536u, &product);
    flags += 16 * __builtin_sub_overflow(-sum, 10L, &result);
  }
  CHECK_EQUAL(flags, 2 + 8 + 16);
  printf("int128: %llx\n", (unsigned long long)hash);
  return pass();
}
