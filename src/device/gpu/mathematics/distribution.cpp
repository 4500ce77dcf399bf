// The normal distribution and what inverts the error functions, under their names in libdevice.
#include "device/gpu/mathematics/pairs.h"

namespace gantry::device {

extern "C" {
double __nv_erf(double x);
double __nv_erfc(double x);
double __nv_exp(double x);
double __nv_fabs(double x);
double __nv_fma(double x, double y, double z);
double __nv_log(double x);
double __nv_sqrt(double x);
double __nv_copysign(double x, double y);
}

namespace {

constexpr double kPi = 0x1.921FB54442D18p+1;
constexpr double kRootOfPi = 0x1.C5BF891B4EF6Bp+0;
constexpr double kRootOf2 = 0x1.6A09E667F3BCDp+0;
/// The square root of 1/2: rounded, and the rest.
constexpr double kRootOfHalf = 0x1.6A09E667F3BCDp-1;
constexpr double kRootOfHalfRest = -0x1.BDD3413B26456p-55;
constexpr double kNaN = __builtin_nan("");
constexpr double kInfinity = __builtin_inf();

/// e^(x²) erfc(x), for x >= 0.
double scaled_erfc(double x) {
  if (x < 2) {
    const double square = x * x;
    const double rest = __nv_fma(x, x, -square);
    return __nv_exp(square) * (1 + rest) * __nv_erfc(x);
  }
  // Its continued fraction (Abramowitz and Stegun, 7.1.14), from where it has converged.
  double fraction = x;
  for (int k = x < 4 ? 120 : 40; k > 0; --k) {
    fraction = x + 0.5 * k / fraction;
  }
  return 1 / kRootOfPi / fraction;
}

/// For |x| <= 1/2, by Halley's method from the first terms of the power series.
double inverse_near_zero(double x) {
  double y = 0.5 * kRootOfPi * x * (1 + kPi / 12 * x * x);
  for (int i = 0; i < 3; ++i) {
    const double step = (__nv_erf(y) - x) * (0.5 * kRootOfPi) * __nv_exp(y * y);
    y -= step / (1 + y * step);
  }
  return y;
}

/// For 0 < q <= 1/2: Newton's method on the logarithms, which lose no digits, from Winitzki's
/// approximation, whose relative error is a few thousandths.
double inverse_of_rest(double q) {
  constexpr double kA = 0.147;
  const double logarithm = __nv_log(q);
  const double both = logarithm + __nv_log(2 - q);
  const double half = 2 / (kPi * kA) + 0.5 * both;
  double y = __nv_sqrt(__nv_sqrt(half * half - both / kA) - half);
  for (int i = 0; i < 4; ++i) {
    const double scaled = scaled_erfc(y);
    const double square = y * y;
    const double rest = __nv_fma(y, y, -square);
    const double difference = __nv_log(scaled) - rest - (square + logarithm);
    y += difference * (0.5 * kRootOfPi) * scaled;
  }
  return y;
}

double inverse_erf(double x) {
  const double size = __nv_fabs(x);
  if (!(size < 1)) {
    return size == 1 ? __nv_copysign(kInfinity, x) : kNaN;
  }
  if (size < 1e-9) {
    return 0.5 * kRootOfPi * x;
  }
  return size <= 0.5 ? inverse_near_zero(x) : __nv_copysign(inverse_of_rest(1 - size), x);
}

double inverse_erfc(double q) {
  if (!(q > 0 && q < 2)) {
    return q == 0 ? kInfinity : q == 2 ? -kInfinity : kNaN;
  }
  if (q >= 0.5 && q <= 1.5) {
    return inverse_erf(1 - q);
  }
  return q < 1 ? inverse_of_rest(q) : -inverse_of_rest(2 - q);
}

} // namespace

extern "C" {

double __nv_erfcx(double x) {
  if (x >= 0) {
    return scaled_erfc(x);
  }
  const double square = x * x;
  const double rest = __nv_fma(x, x, -square);
  const double twice = 2 * __nv_exp(square);
  // The sum of an infinity and its product with the rest could be a NaN.
  return twice == kInfinity ? twice : __nv_fma(twice, rest, twice) - scaled_erfc(-x);
}
double __nv_erfinv(double x) {
  return inverse_erf(x);
}
double __nv_erfcinv(double x) {
  return inverse_erfc(x);
}
double __nv_normcdf(double x) {
  // The rounding of x / sqrt(2) matters where erfc falls steeply.
  const double t = -x * kRootOfHalf;
  if (!(t > 1) || t > 30) {
    return 0.5 * __nv_erfc(t);
  }
  const double rest = __nv_fma(-x, kRootOfHalf, -t) - x * kRootOfHalfRest;
  const double tail = __nv_erfc(t);
  return 0.5 * (tail - tail * (2 * rest / (kRootOfPi * scaled_erfc(t))));
}
double __nv_normcdfinv(double x) {
  return -kRootOf2 * inverse_erfc(2 * x);
}

GANTRY_OF_FLOAT(, __nv_erfcx, (float x), (x))
GANTRY_OF_FLOAT(, __nv_erfinv, (float x), (x))
GANTRY_OF_FLOAT(, __nv_erfcinv, (float x), (x))
GANTRY_OF_FLOAT(, __nv_normcdf, (float x), (x))
GANTRY_OF_FLOAT(, __nv_normcdfinv, (float x), (x))

} // extern "C"

} // namespace gantry::device
