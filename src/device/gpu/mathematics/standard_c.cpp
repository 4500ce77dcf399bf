// C's and POSIX's mathematical functions that libdevice does not have, under their own names. Those
// that it has are renamed (src/link/mathematics_names.cpp).
#include "device/gpu/machine.h"
#include "device/gpu/mathematics/pairs.h"
#include "device/gpu/standard_library.h"

namespace gantry::device {

extern "C" {
double __nv_floor(double x);
double __nv_lgamma(double x);
float __nv_lgammaf(float x);
int32_t __nv_ilogb(double x);
int32_t __nv_ilogbf(float x);
double __nv_nextafter(double x, double y);
float __nv_nextafterf(float x, float y);
double __nv_remainder(double x, double y);
float __nv_remainderf(float x, float y);
double __nv_scalbn(double x, int32_t exponent);
float __nv_scalbnf(float x, int32_t exponent);
}

namespace {

int limited(int64_t exponent) {
  constexpr int64_t kEnough = 100'000; // scales any number to zero or infinity
  return static_cast<int>(exponent > kEnough ? kEnough : exponent < -kEnough ? -kEnough : exponent);
}

/// The sign of the gamma function, as lgamma_r gives it.
int sign_of_gamma(double x) {
  if (x == 0) {
    return __builtin_signbit(x) ? -1 : 1;
  }
  const double below = __nv_floor(x);
  return x < 0 && x != below && __nv_floor(below * 0.5) * 2 != below ? -1 : 1;
}

} // namespace

#define GANTRY_X_LONG(Real) (Real x, int64_t exponent)

extern "C" {

GANTRY_WEAK int64_t lrint(double x) {
  return machine::rounded(x);
}
GANTRY_WEAK int64_t lrintf(float x) {
  return machine::rounded(x);
}
GANTRY_WEAK int64_t lround(double x) {
  return machine::truncated(__builtin_round(x));
}
GANTRY_WEAK int64_t lroundf(float x) {
  return machine::truncated(__builtin_roundf(x));
}

GANTRY_PAIR_OF_CALLS(GANTRY_WEAK, roundeven, GANTRY_X, __builtin_roundeven, (x))
GANTRY_PAIR_OF_CALLS(GANTRY_WEAK, scalbln, GANTRY_X_LONG, __nv_scalbn, (x, limited(exponent)))
GANTRY_PAIR_OF_CALLS(GANTRY_WEAK, drem, GANTRY_X_Y, __nv_remainder, (x, y))
GANTRY_PAIR_OF_CALLS(GANTRY_WEAK, nextup, GANTRY_X, __nv_nextafter, (x, __builtin_inff()))
GANTRY_PAIR_OF_CALLS(GANTRY_WEAK, nextdown, GANTRY_X, __nv_nextafter, (x, -__builtin_inff()))
GANTRY_PAIR_OF_CALLS(GANTRY_WEAK, gamma, GANTRY_X, __nv_lgamma, (x))

GANTRY_WEAK int64_t llogb(double x) {
  const int exponent = __nv_ilogb(x);
  const bool is_number = x != 0 && __builtin_isfinite(x);
  // glibc's FP_LLOGB0 and FP_LLOGBNAN are limits of long.
  constexpr int64_t kLeast = -0x7FFF'FFFF'FFFF'FFFF - 1;
  return is_number ? exponent : __builtin_isinf(x) ? -(kLeast + 1) : kLeast;
}
GANTRY_WEAK int64_t llogbf(float x) {
  return llogb(static_cast<double>(x));
}
GANTRY_WEAK double significand(double x) {
  return x == 0 || !__builtin_isfinite(x) ? x : __nv_scalbn(x, -__nv_ilogb(x));
}
GANTRY_WEAK float significandf(float x) {
  return x == 0 || !__builtin_isfinite(x) ? x : __nv_scalbnf(x, -__nv_ilogbf(x));
}

GANTRY_WEAK double fmaxmag(double x, double y) {
  const double left = __builtin_fabs(x), right = __builtin_fabs(y);
  return left > right ? x : left < right ? y : __builtin_fmax(x, y);
}
GANTRY_OF_FLOAT(GANTRY_WEAK, fmaxmag, (float x, float y), (x, y))
GANTRY_WEAK double fminmag(double x, double y) {
  const double left = __builtin_fabs(x), right = __builtin_fabs(y);
  return left < right ? x : left > right ? y : __builtin_fmin(x, y);
}
GANTRY_OF_FLOAT(GANTRY_WEAK, fminmag, (float x, float y), (x, y))

GANTRY_WEAK double lgamma_r(double x, int* sign) {
  *sign = sign_of_gamma(x);
  return __nv_lgamma(x);
}
GANTRY_WEAK float lgammaf_r(float x, int* sign) {
  *sign = sign_of_gamma(static_cast<double>(x));
  return __nv_lgammaf(x);
}

// The functions behind the macros of classification, and BSD's.
GANTRY_PAIR(GANTRY_WEAK, isinf, isinff, GANTRY_X, __builtin_isinf_sign(x))
GANTRY_PAIR(GANTRY_WEAK, __isinf, __isinff, GANTRY_X, __builtin_isinf_sign(x))
GANTRY_PAIR(GANTRY_WEAK, isnan, isnanf, GANTRY_X, __builtin_isnan(x) ? 1 : 0)
GANTRY_PAIR(GANTRY_WEAK, __isnan, __isnanf, GANTRY_X, __builtin_isnan(x) ? 1 : 0)
GANTRY_PAIR(GANTRY_WEAK, finite, finitef, GANTRY_X, __builtin_isfinite(x) ? 1 : 0)
GANTRY_PAIR(GANTRY_WEAK, __finite, __finitef, GANTRY_X, __builtin_isfinite(x) ? 1 : 0)
GANTRY_PAIR(GANTRY_WEAK, __signbit, __signbitf, GANTRY_X, __builtin_signbit(x) ? 1 : 0)
// glibc's numbers of the classes.
GANTRY_PAIR(GANTRY_WEAK, __fpclassify, __fpclassifyf, GANTRY_X,
            __builtin_fpclassify(0, 1, 4, 3, 2, x))

} // extern "C"

} // namespace gantry::device
