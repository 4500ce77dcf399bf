// The gamma function. libclc's is more than a hundred units in the last place off for arguments
// of 30; it serves between 1 and 2 here.
#include "device/gpu/mathematics/pairs.h"

namespace gantry::device {

double clc_tgamma(double) __asm__("_Z6tgammad");

extern "C" {
double __nv_exp(double x);
double __nv_pow(double x, double y);
double __nv_sinpi(double x);
double __nv_floor(double x);
}

namespace {

constexpr double kPi = 0x1.921FB54442D18p+1;
constexpr double kRootOf2Pi = 0x1.40D931FF62706p+1;
/// From here on Stirling's series with six terms is good for a double.
constexpr double kLarge = 20;
constexpr double kOverflow = 172;

/// For x >= kLarge: sqrt(2 pi / x) (x / e)^x e^s(x).
double of_large(double x) {
  const double w = 1 / (x * x);
  const double s =
      (1.0 / 12 -
       w * (1.0 / 360 -
            w * (1.0 / 1260 - w * (1.0 / 1680 - w * (1.0 / 1188 - w * (691.0 / 360360)))))) /
      x;
  // In two halves, as x^x overflows before the result does.
  const double half = __nv_pow(x, 0.5 * x - 0.25);
  return kRootOf2Pi * half * (half / __nv_exp(x)) * __nv_exp(s);
}

/// For x > 0.
double of_positive(double x) {
  if (x >= kLarge) {
    return x < kOverflow ? of_large(x) : __builtin_inf();
  }
  if (x < 1) {
    return clc_tgamma(x + 1) / x;
  }
  double product = 1;
  while (x >= 2) {
    x -= 1;
    product *= x;
  }
  return product * clc_tgamma(x);
}

double gamma(double x) {
  if (x > 0) {
    return of_positive(x);
  }
  if (x > -1e-20) {
    return 1 / x; // the infinity of the zero's sign
  }
  if (!(x > -200)) {
    // It tends to zero between the poles; every number of great magnitude is an integer, so a pole.
    return x == __nv_floor(x) || x != x ? __builtin_nan("") : 0.0;
  }
  return x == __nv_floor(x) ? __builtin_nan("") : kPi / (__nv_sinpi(x) * -x * of_positive(-x));
}

} // namespace

extern "C" {

double __nv_tgamma(double x) {
  return gamma(x);
}
GANTRY_OF_FLOAT(, __nv_tgamma, (float x), (x))

} // extern "C"

} // namespace gantry::device
