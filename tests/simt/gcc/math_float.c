// The float functions of the device's libm against the host's.
#include "device.h"

#define FUNCTIONS(F)                                                                               \
  F(sinf, 4)                                                                                       \
  F(cosf, 4)                                                                                       \
  F(tanf, 1.4f)                                                                                    \
  F(asinf, 0.9f)                                                                                   \
  F(acosf, 0.9f)                                                                                   \
  F(atanf, 9)                                                                                      \
  F(sinhf, 4)                                                                                      \
  F(coshf, 4)                                                                                      \
  F(tanhf, 3)                                                                                      \
  F(expf, 9)                                                                                       \
  F(exp2f, 9)                                                                                      \
  F(expm1f, 3)                                                                                     \
  F(cbrtf, 100)                                                                                    \
  F(erff, 2)

#define POSITIVE_FUNCTIONS(F)                                                                      \
  F(logf, 1000)                                                                                    \
  F(log2f, 1000)                                                                                   \
  F(log10f, 1000)                                                                                  \
  F(log1pf, 10)

#define EXACT_FUNCTIONS(F)                                                                         \
  F(sqrtf, 5)                                                                                      \
  F(floorf, 9)                                                                                     \
  F(ceilf, 9)                                                                                      \
  F(truncf, 9)                                                                                     \
  F(roundf, 9)                                                                                     \
  F(rintf, 9)                                                                                      \
  F(nearbyintf, 9)                                                                                 \
  F(fabsf, 9)

enum { kPoints = 40 };

static int tested = 0;

static float at(int i, float range) {
  return range * ((float)i - kPoints / 2 + 0.25f) / kPoints * 2;
}

#define TEST(function, range)                                                                      \
  {                                                                                                \
    float x[kPoints];                                                                              \
    float y[kPoints];                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      x[i] = at(i, range);                                                                         \
    }                                                                                              \
    _Pragma("omp target map(to : x) map(from : y)") for (int i = 0; i < kPoints; ++i) {            \
      y[i] = function(x[i]);                                                                       \
    }                                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      CHECK_NEAR(y[i], function(x[i]), 2e-6);                                                      \
    }                                                                                              \
    ++tested;                                                                                      \
  }

#define TEST_POSITIVE(function, range)                                                             \
  {                                                                                                \
    float x[kPoints];                                                                              \
    float y[kPoints];                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      x[i] = fabsf(at(i, range)) + 0.001f;                                                         \
    }                                                                                              \
    _Pragma("omp target map(to : x) map(from : y)") for (int i = 0; i < kPoints; ++i) {            \
      y[i] = function(x[i]);                                                                       \
    }                                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      CHECK_NEAR(y[i], function(x[i]), 2e-6);                                                      \
    }                                                                                              \
    ++tested;                                                                                      \
  }

#define TEST_EXACT(function, range)                                                                \
  {                                                                                                \
    float x[kPoints];                                                                              \
    float y[kPoints];                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      x[i] = at(i, range);                                                                         \
    }                                                                                              \
    _Pragma("omp target map(to : x) map(from : y)") for (int i = 0; i < kPoints; ++i) {            \
      y[i] = function(x[i]);                                                                       \
    }                                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      const float expected = function(x[i]);                                                       \
      CHECK(y[i] == expected || (isnan(y[i]) && isnan(expected)));                                 \
    }                                                                                              \
    ++tested;                                                                                      \
  }

int main(void) {
  require_device();
  FUNCTIONS(TEST)
  POSITIVE_FUNCTIONS(TEST_POSITIVE)
  EXACT_FUNCTIONS(TEST_EXACT)

  float a[kPoints];
  float b[kPoints];
  float r[8][kPoints];
  for (int i = 0; i < kPoints; ++i) {
    a[i] = at(i, 7);
    b[i] = at(i * 7 % kPoints, 3);
  }
#pragma omp target map(to : a, b) map(from : r)
#pragma omp parallel for
  for (int i = 0; i < kPoints; ++i) {
    r[0][i] = powf(fabsf(a[i]), b[i]);
    r[1][i] = atan2f(a[i], b[i]);
    r[2][i] = hypotf(a[i], b[i]);
    r[3][i] = fmaf(a[i], b[i], 1.5f);
    r[4][i] = fminf(a[i], b[i]) + fmaxf(a[i], 2 * b[i]);
    r[5][i] = copysignf(a[i], b[i]) + fdimf(a[i], b[i]);
    r[6][i] = fmodf(a[i], b[i]);
    r[7][i] = ldexpf(a[i], i % 9 - 4);
  }
  for (int i = 0; i < kPoints; ++i) {
    CHECK_NEAR(r[0][i], powf(fabsf(a[i]), b[i]), 4e-6);
    CHECK_NEAR(r[1][i], atan2f(a[i], b[i]), 2e-6);
    CHECK_NEAR(r[2][i], hypotf(a[i], b[i]), 2e-6);
    CHECK(r[3][i] == fmaf(a[i], b[i], 1.5f));
    CHECK(r[4][i] == fminf(a[i], b[i]) + fmaxf(a[i], 2 * b[i]));
    CHECK(r[5][i] == copysignf(a[i], b[i]) + fdimf(a[i], b[i]));
    CHECK(r[6][i] == fmodf(a[i], b[i]));
    CHECK(r[7][i] == ldexpf(a[i], i % 9 - 4));
  }
  printf("float functions: %d and 8 of two arguments\n", tested);
  return pass();
}
