// Bit operations, the compiler's bit functions, shifts and rotates of every width.
#include "device.h"

#include <stdint.h>

enum { kCount = 64, kResults = 14 };

#pragma omp declare target
static void compute(int i, uint32_t x, uint64_t y, uint64_t* r) {
  const uint16_t h = (uint16_t)(x >> 3);
  const int8_t b = (int8_t)x;
  r[0] = (uint64_t)__builtin_popcount(x) * 100 + (uint64_t)__builtin_popcountll(y);
  r[1] = (uint64_t)__builtin_clz(x | 1) * 100 + (uint64_t)__builtin_clzll(y | 1);
  r[2] = (uint64_t)__builtin_ctz(x | 1u << 31) * 100 + (uint64_t)__builtin_ctzll(y | 1ULL << 63);
  r[3] = (uint64_t)(__builtin_ffs((int)x) * 100 + __builtin_ffsll((long long)y));
  r[4] = (uint64_t)(__builtin_parity(x) * 2 + __builtin_parityll(y));
  r[5] = (uint64_t)__builtin_bswap32(x) << 16 ^ __builtin_bswap64(y) ^ __builtin_bswap16(h);
  r[6] = (x << i % 32 | x >> (32 - i) % 32);
  r[7] = y >> i | y << (64 - i) % 64;
  r[8] = (uint64_t)((int64_t)y >> i % 64);
  r[9] = (uint64_t)((int32_t)x >> i % 32);
  r[10] = (uint64_t)(int64_t)(b >> i % 8) ^ (uint64_t)(uint16_t)(h << i % 16);
  r[11] = ~y & (y | x) ^ (uint64_t)x << 7;
  r[12] = (uint64_t)(uint8_t)(b * 3) + (uint64_t)(int64_t)(int16_t)(h * 5);
  r[13] = (uint64_t)__builtin_clrsb((int)x);
}
#pragma omp end declare target

int main(void) {
  require_device();
  uint64_t results[kCount][kResults];
#pragma omp target map(from : results)
#pragma omp parallel for simd num_threads(4)
  for (int i = 0; i < kCount; ++i) {
    compute(i, (uint32_t)i * 2654435761u, (uint64_t)i * 0x9E3779B97F4A7C15ULL, results[i]);
  }
  uint64_t hash = 0;
  for (int i = 0; i < kCount; ++i) {
    uint64_t expected[kResults];
    compute(i, (uint32_t)i * 2654435761u, (uint64_t)i * 0x9E3779B97F4A7C15ULL, expected);
    for (int k = 0; k < kResults; ++k) {
      CHECK_EQUAL(results[i][k], expected[k]);
      hash = hash * 31 + results[i][k];
    }
  }
  printf("bits: %llx\n", (unsigned long long)hash);
  return pass();
}
