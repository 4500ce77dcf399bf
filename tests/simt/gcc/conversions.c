// Conversions between all arithmetic types, for values that fit.
#include "device.h"

#include <stdint.h>

#define FROM(type, sources)                                                                        \
  {                                                                                                \
    const type from[6] = sources;                                                                  \
    int8_t a[6];                                                                                   \
    uint8_t b[6];                                                                                  \
    int16_t c[6];                                                                                  \
    uint16_t d[6];                                                                                 \
    int32_t e[6];                                                                                  \
    uint32_t f[6];                                                                                 \
    int64_t g[6];                                                                                  \
    uint64_t h[6];                                                                                 \
    float i[6];                                                                                    \
    double k[6];                                                                                   \
    _Pragma("omp target map(to : from) map(from : a, b, c, d, e, f, g, h, i, k)") for (int n = 0;  \
                                                                                       n < 6;      \
                                                                                       ++n) {      \
      a[n] = (int8_t)from[n];                                                                      \
      b[n] = (uint8_t)from[n];                                                                     \
      c[n] = (int16_t)from[n];                                                                     \
      d[n] = (uint16_t)from[n];                                                                    \
      e[n] = (int32_t)from[n];                                                                     \
      f[n] = (uint32_t)from[n];                                                                    \
      g[n] = (int64_t)from[n];                                                                     \
      h[n] = (uint64_t)from[n];                                                                    \
      i[n] = (float)from[n];                                                                       \
      k[n] = (double)from[n];                                                                      \
    }                                                                                              \
    for (int n = 0; n < 6; ++n) {                                                                  \
      CHECK_EQUAL(a[n], (int8_t)from[n]);                                                          \
      CHECK_EQUAL(b[n], (uint8_t)from[n]);                                                         \
      CHECK_EQUAL(c[n], (int16_t)from[n]);                                                         \
      CHECK_EQUAL(d[n], (uint16_t)from[n]);                                                        \
      CHECK_EQUAL(e[n], (int32_t)from[n]);                                                         \
      CHECK_EQUAL(f[n], (uint32_t)from[n]);                                                        \
      CHECK_EQUAL(g[n], (int64_t)from[n]);                                                         \
      CHECK_EQUAL(h[n], (uint64_t)from[n]);                                                        \
      CHECK(i[n] == (float)from[n]);                                                               \
      CHECK(k[n] == (double)from[n]);                                                              \
    }                                                                                              \
    ++tested;                                                                                      \
  }
#define LIST(...) {__VA_ARGS__}

int main(void) {
  require_device();
  int tested = 0;
  FROM(int8_t, LIST(0, 1, -1, 127, -128, 55))
  FROM(uint8_t, LIST(0, 1, 127, 128, 255, 77))
  FROM(int16_t, LIST(0, -1, 32767, -32768, 300, -300))
  FROM(uint16_t, LIST(0, 1, 65535, 32768, 300, 256))
  FROM(int32_t, LIST(0, -1, INT32_MAX, INT32_MIN, 16777217, -16777219))
  FROM(uint32_t, LIST(0, 1, UINT32_MAX, 0x80000000u, 16777217, 0xFFFFFF7F))
  FROM(int64_t, LIST(0, -1, INT64_MAX, INT64_MIN, 9007199254740993, -1234567890123))
  FROM(uint64_t, LIST(0, 1, UINT64_MAX, 1ULL << 63, 0xFFFFFFFFFFFFFBFF, 18014398509481985))
  FROM(float, LIST(0, 0.5f, 1.75f, 100.99f, 3.0e-5f, 126.5f))
  FROM(double, LIST(0, 0.999999999, 1.5, 99.25, 1e-300, 127.99999999))

  // Beyond what small integers hold.
  double wide[4] = {-3e18, 1.7e19, -2147483649.0, 4294967295.5};
  int64_t to_signed[4];
  uint64_t to_unsigned[4];
  float to_float[4];
#pragma omp target map(to : wide) map(from : to_signed, to_unsigned, to_float)
  for (int i = 0; i < 4; ++i) {
    to_signed[i] = i == 1 ? 0 : (int64_t)wide[i];
    to_unsigned[i] = wide[i] < 0 ? 0 : (uint64_t)wide[i];
    to_float[i] = (float)wide[i];
  }
  CHECK_EQUAL(to_signed[0], -3000000000000000000LL);
  CHECK_EQUAL(to_signed[2], -2147483649LL);
  CHECK_EQUAL(to_unsigned[1], 17000000000000000000ULL);
  CHECK_EQUAL(to_unsigned[3], 4294967295ULL);
  CHECK(to_float[3] == 4294967296.0f);
  printf("conversions: %d types\n", tested);
  return pass();
}
