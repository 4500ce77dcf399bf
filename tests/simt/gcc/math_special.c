// Functions of libm that give two results or treat special values, and those beyond the elementary.
#include "device.h"

int main(void) {
  require_device();
  double fraction[12];
  int exponent[12];
  double whole[12];
  double part[12];
  double gamma[12];
  double remainder_of[12];
  int quotient[12];
  double next[12];
  long rounded[12];
#pragma omp target map(from : fraction, exponent, whole, part, gamma, remainder_of, quotient,      \
                           next, rounded)
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 12; ++i) {
    const double x = (i - 5) * 1.75 + 0.125;
    fraction[i] = frexp(x, &exponent[i]);
    part[i] = modf(x, &whole[i]);
    gamma[i] = tgamma(fabs(x) + 0.5) + lgamma(fabs(x) + 1);
    remainder_of[i] = remquo(x, 0.7, &quotient[i]);
    next[i] = nextafter(x, 100.0) + scalbn(x, 3) + logb(x) + erfc(x);
    rounded[i] = lround(x) * 100 + lrint(x) + (long)ilogb(x);
  }
  for (int i = 0; i < 12; ++i) {
    const double x = (i - 5) * 1.75 + 0.125;
    int expected_exponent;
    int expected_quotient;
    double expected_whole;
    CHECK(fraction[i] == frexp(x, &expected_exponent));
    CHECK_EQUAL(exponent[i], expected_exponent);
    CHECK(part[i] == modf(x, &expected_whole));
    CHECK(whole[i] == expected_whole);
    CHECK_NEAR(gamma[i], tgamma(fabs(x) + 0.5) + lgamma(fabs(x) + 1), 1e-12);
    CHECK(remainder_of[i] == remquo(x, 0.7, &expected_quotient));
    CHECK_EQUAL(quotient[i] & 7, expected_quotient & 7);
    CHECK_NEAR(next[i], nextafter(x, 100.0) + scalbn(x, 3) + logb(x) + erfc(x), 1e-13);
    CHECK_EQUAL(rounded[i], lround(x) * 100 + lrint(x) + (long)ilogb(x));
  }

  // Infinities, NaN, denormals and signed zeros.
  int classes[8];
  double zero = 0;
  double results[6];
#pragma omp target map(to : zero) map(from : classes, results)
  {
    const double infinite = 1 / zero;
    const double not_a_number = infinite - infinite;
    const double tiny = 4.9406564584124654e-324;
    classes[0] = isinf(infinite) != 0;
    classes[1] = isnan(not_a_number) != 0;
    classes[2] = isfinite(tiny) != 0;
    classes[3] = isnormal(tiny) != 0;
    classes[4] = signbit(-zero) != 0;
    classes[5] = not_a_number == not_a_number;
    classes[6] = isgreater(not_a_number, 1.0);
    classes[7] = isunordered(not_a_number, 1.0) != 0;
    results[0] = sqrt(-1.0 - zero);
    results[1] = fmax(not_a_number, 3.0);
    results[2] = tiny * 3;
    results[3] = pow(zero, zero);
    results[4] = atan2(-zero, -1.0);
    results[5] = floor(-0.5 + zero);
  }
  const int expected_classes[8] = {1, 1, 1, 0, 1, 0, 0, 1};
  for (int i = 0; i < 8; ++i) {
    CHECK_EQUAL(classes[i], expected_classes[i]);
  }
  CHECK(isnan(results[0]));
  CHECK(results[1] == 3);
  CHECK(results[2] == 1.4821969375237396e-323);
  CHECK(results[3] == 1);
  CHECK_NEAR(results[4], -3.141592653589793, 1e-15);
  CHECK(results[5] == -1);
  printf("special functions\n");
  return pass();
}
