// C's complex numbers: arithmetic with the compiler's own functions for * and /, and <complex.h>.
#include "device.h"

#include <complex.h>

int main(void) {
  require_device();
  enum { kCount = 20 };
  double _Complex results[6][kCount];
  float _Complex small[kCount];
#pragma omp target map(from : results, small)
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < kCount; ++i) {
    const double _Complex z = (i - 7) * 0.5 + (i * 0.25 - 2) * I;
    const double _Complex w = 1.25 - i * 0.125 * I;
    results[0][i] = z * w + conj(z);
    results[1][i] = z / w;
    results[2][i] = cabs(z) + carg(w) * I;
    results[3][i] = cexp(z / 4);
    results[4][i] = csqrt(w);
    results[5][i] = creal(z) > cimag(w) ? -z : cpow(w, 2);
    const float _Complex f = (float)i + 0.5f * I;
    small[i] = f * f / (1.0f + 1.0f * I);
  }
  double total = 0;
  for (int i = 0; i < kCount; ++i) {
    const double _Complex z = (i - 7) * 0.5 + (i * 0.25 - 2) * I;
    const double _Complex w = 1.25 - i * 0.125 * I;
    const double _Complex expected[6] = {
        z * w + conj(z), z / w,    cabs(z) + carg(w) * I,
        cexp(z / 4),     csqrt(w), creal(z) > cimag(w) ? -z : cpow(w, 2)};
    for (int k = 0; k < 6; ++k) {
      CHECK_NEAR(creal(results[k][i]), creal(expected[k]), 1e-13);
      CHECK_NEAR(cimag(results[k][i]), cimag(expected[k]), 1e-13);
    }
    const float _Complex f = (float)i + 0.5f * I;
    const float _Complex expected_small = f * f / (1.0f + 1.0f * I);
    CHECK_NEAR(crealf(small[i]), crealf(expected_small), 1e-6);
    CHECK_NEAR(cimagf(small[i]), cimagf(expected_small), 1e-6);
    total += creal(results[0][i]);
  }
  printf("complex: %.6f\n", total);
  return pass();
}
