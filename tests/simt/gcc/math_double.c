// The double functions of the device's libm against the host's.
#include "device.h"

#define FUNCTIONS(F)                                                                               \
  F(sin, 4)                                                                                        \
  F(cos, 4)                                                                                        \
  F(tan, 1.4)                                                                                      \
  F(asin, 0.9)                                                                                     \
  F(acos, 0.9)                                                                                     \
  F(atan, 9)                                                                                       \
  F(sinh, 4)                                                                                       \
  F(cosh, 4)                                                                                       \
  F(tanh, 3)                                                                                       \
  F(exp, 9)                                                                                        \
  F(exp2, 9)                                                                                       \
  F(expm1, 3)                                                                                      \
  F(cbrt, 100)                                                                                     \
  F(erf, 2)

#define POSITIVE_FUNCTIONS(F)                                                                      \
  F(log, 1000)                                                                                     \
  F(log2, 1000)                                                                                    \
  F(log10, 1000)                                                                                   \
  F(log1p, 10)

#define EXACT_FUNCTIONS(F)                                                                         \
  F(sqrt, 5)                                                                                       \
  F(floor, 9)                                                                                      \
  F(ceil, 9)                                                                                       \
  F(trunc, 9)                                                                                      \
  F(round, 9)                                                                                      \
  F(rint, 9)                                                                                       \
  F(nearbyint, 9)                                                                                  \
  F(fabs, 9)

enum { kPoints = 40 };

static int tested = 0;

static double at(int i, double range) {
  return range * ((double)i - kPoints / 2 + 0.25) / kPoints * 2;
}

#define TEST(function, range)                                                                      \
  {                                                                                                \
    double x[kPoints];                                                                             \
    double y[kPoints];                                                                             \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      x[i] = at(i, range);                                                                         \
    }                                                                                              \
    _Pragma("omp target map(to : x) map(from : y)") for (int i = 0; i < kPoints; ++i) {            \
      y[i] = function(x[i]);                                                                       \
    }                                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      CHECK_NEAR(y[i], function(x[i]), 1e-13);                                                     \
    }                                                                                              \
    ++tested;                                                                                      \
  }

#define TEST_POSITIVE(function, range)                                                             \
  {                                                                                                \
    double x[kPoints];                                                                             \
    double y[kPoints];                                                                             \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      x[i] = fabs(at(i, range)) + 0.001;                                                           \
    }                                                                                              \
    _Pragma("omp target map(to : x) map(from : y)") for (int i = 0; i < kPoints; ++i) {            \
      y[i] = function(x[i]);                                                                       \
    }                                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      CHECK_NEAR(y[i], function(x[i]), 1e-13);                                                     \
    }                                                                                              \
    ++tested;                                                                                      \
  }

#define TEST_EXACT(function, range)                                                                \
  {                                                                                                \
    double x[kPoints];                                                                             \
    double y[kPoints];                                                                             \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      x[i] = at(i, range);                                                                         \
    }                                                                                              \
    _Pragma("omp target map(to : x) map(from : y)") for (int i = 0; i < kPoints; ++i) {            \
      y[i] = function(x[i]);                                                                       \
    }                                                                                              \
    for (int i = 0; i < kPoints; ++i) {                                                            \
      const double expected = function(x[i]);                                                      \
      CHECK(y[i] == expected || (isnan(y[i]) && isnan(expected)));                                 \
    }                                                                                              \
    ++tested;                                                                                      \
  }

int main(void) {
  require_device();
  FUNCTIONS(TEST)
  POSITIVE_FUNCTIONS(TEST_POSITIVE)
  EXACT_FUNCTIONS(TEST_EXACT)

  double a[kPoints];
  double b[kPoints];
  double r[8][kPoints];
  for (int i = 0; i < kPoints; ++i) {
    a[i] = at(i, 7);
    b[i] = at(i * 7 % kPoints, 3);
  }
#pragma omp target map(to : a, b) map(from : r)
#pragma omp parallel for
  for (int i = 0; i < kPoints; ++i) {
    r[0][i] = pow(fabs(a[i]), b[i]);
    r[1][i] = atan2(a[i], b[i]);
    r[2][i] = hypot(a[i], b[i]);
    r[3][i] = fma(a[i], b[i], 1.5);
    r[4][i] = fmin(a[i], b[i]) + fmax(a[i], 2 * b[i]);
    r[5][i] = copysign(a[i], b[i]) + fdim(a[i], b[i]);
    r[6][i] = fmod(a[i], b[i]);
    r[7][i] = ldexp(a[i], i % 9 - 4);
  }
  for (int i = 0; i < kPoints; ++i) {
    CHECK_NEAR(r[0][i], pow(fabs(a[i]), b[i]), 1e-13);
    CHECK_NEAR(r[1][i], atan2(a[i], b[i]), 1e-13);
    CHECK_NEAR(r[2][i], hypot(a[i], b[i]), 1e-13);
    CHECK(r[3][i] == fma(a[i], b[i], 1.5));
    CHECK(r[4][i] == fmin(a[i], b[i]) + fmax(a[i], 2 * b[i]));
    CHECK(r[5][i] == copysign(a[i], b[i]) + fdim(a[i], b[i]));
    CHECK(r[6][i] == fmod(a[i], b[i]));
    CHECK(r[7][i] == ldexp(a[i], i % 9 - 4));
  }
  printf("double functions: %d and 8 of two arguments\n", tested);
  return pass();
}
