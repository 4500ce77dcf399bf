// flags: -O3 -ffast-math
// What -ffast-math makes of the device's code: other instructions for the same functions.
#include "device.h"

enum { kCount = 64 };

int main(void) {
  require_device();
  float x[kCount];
  float y[kCount];
  double z[kCount];
  for (int i = 0; i < kCount; ++i) {
    x[i] = 0.125f * (float)(i + 1);
  }
#pragma omp target map(to : x) map(from : y, z)
#pragma omp parallel for simd num_threads(4)
  for (int i = 0; i < kCount; ++i) {
    y[i] = sinf(x[i]) * cosf(x[i]) + sqrtf(x[i]) / (x[i] + 1) + exp2f(-x[i]) + log2f(x[i]);
    z[i] = 1 / sqrt((double)x[i]) + x[i] * x[i] * x[i] / 3;
  }
  double sum = 0;
  for (int i = 0; i < kCount; ++i) {
    const double t = x[i];
    CHECK_NEAR(y[i], sin(t) * cos(t) + sqrt(t) / (t + 1) + exp2(-t) + log2(t), 1e-5);
    CHECK_NEAR(z[i], 1 / sqrt(t) + t * t * t / 3, 1e-6);
    sum += z[i];
  }
  printf("fast math: %.3f\n", sum);
  return pass();
}
