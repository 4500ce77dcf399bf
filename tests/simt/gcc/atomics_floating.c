// Atomics on float and double; the values are such that the order of adding does not matter.
#include "device.h"

enum { kCount = 600 };

int main(void) {
  require_device();
  float float_sum = 0;
  float float_product = 1;
  double double_sum = 0;
  double double_difference = 0;
  double double_quotient = 1048576;
  float float_read = -1;
  double captured[kCount];
  double counter = 0.5;
#pragma omp target teams distribute parallel for num_teams(4)                                      \
    map(tofrom : float_sum, float_product, double_sum, double_difference, double_quotient,         \
            float_read, counter) map(from : captured)
  for (int i = 0; i < kCount; ++i) {
#pragma omp atomic
    float_sum += 0.5f * (float)(i % 16);
#pragma omp atomic
    float_product *= i % 100 == 0 ? 2.0f : 1.0f;
#pragma omp atomic
    double_sum += 0.125 * i;
#pragma omp atomic
    double_difference -= i;
#pragma omp atomic
    double_quotient /= i % 60 == 0 ? 2 : 1;
#pragma omp atomic capture
    {
      captured[i] = counter;
      counter += 1;
    }
    float now;
#pragma omp atomic read
    now = float_sum;
    if (now < 0) {
#pragma omp atomic write
      float_read = now;
    }
  }
  float expected_float = 0;
  for (int i = 0; i < kCount; ++i) {
    expected_float += 0.5f * (float)(i % 16);
  }
  const int total = kCount * (kCount - 1) / 2;
  CHECK(float_sum == expected_float);
  CHECK(float_product == 64);
  CHECK(double_sum == 0.125 * total);
  CHECK(double_difference == -(double)total);
  CHECK(double_quotient == 1024);
  CHECK(float_read == -1);
  CHECK(counter == kCount + 0.5);
  int drawn[kCount] = {0};
  for (int i = 0; i < kCount; ++i) {
    drawn[(int)captured[i]] += 1;
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(drawn[i], 1);
  }
  printf("floating atomics: %g %g\n", (double)float_sum, double_sum);
  return pass();
}
