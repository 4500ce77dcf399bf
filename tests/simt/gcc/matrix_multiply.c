// Matrix products: of threads and lanes, with a sum of each row over lanes.
#include "device.h"

enum { kSize = 24 };

int main(void) {
  require_device();
  float a[kSize][kSize];
  float b[kSize][kSize];
  float c[kSize][kSize];
  for (int i = 0; i < kSize; ++i) {
    for (int k = 0; k < kSize; ++k) {
      a[i][k] = (float)(i * 3 + k) / 8;
      b[i][k] = (float)(i - k) / 4;
    }
  }
#pragma omp target teams distribute num_teams(4) map(to : a, b) map(from : c)
  for (int i = 0; i < kSize; ++i) {
#pragma omp parallel for
    for (int k = 0; k < kSize; ++k) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int n = 0; n < kSize; ++n) {
        sum += a[i][n] * b[n][k];
      }
      c[i][k] = sum;
    }
  }
  double trace = 0;
  for (int i = 0; i < kSize; ++i) {
    for (int k = 0; k < kSize; ++k) {
      double expected = 0;
      for (int n = 0; n < kSize; ++n) {
        expected += (double)a[i][n] * b[n][k];
      }
      CHECK_NEAR(c[i][k], expected, 1e-5);
    }
    trace += c[i][i];
  }
  printf("matrix product: %.4f\n", trace);
  return pass();
}
