// C's mathematical functions under the names that Clang gives them in device code, those of CUDA's
// libdevice: __nv_sin for sin(double), __nv_sinf for sin(float).
//
// Machine instructions serve where there are some; the rest are libclc's functions (their accuracy
// is that of OpenCL C, 7.4), under the names that its C++ interface mangles.
#include "device/gpu/machine.h"
#include "device/gpu/mathematics/pairs.h"

namespace gantry::device {

#define GANTRY_OF_CLC_1(name, length)                                                              \
  double clc_##name(double) __asm__("_Z" #length #name "d");                                       \
  float clc_##name(float) __asm__("_Z" #length #name "f");                                         \
  GANTRY_PAIR(extern "C", __nv_##name, __nv_##name##f, GANTRY_X, clc_##name(x))

#define GANTRY_OF_CLC_2(name, length)                                                              \
  double clc_##name(double, double) __asm__("_Z" #length #name "dd");                              \
  float clc_##name(float, float) __asm__("_Z" #length #name "ff");                                 \
  GANTRY_PAIR(extern "C", __nv_##name, __nv_##name##f, GANTRY_X_Y, clc_##name(x, y))

#define GANTRY_OF_MACHINE_1(name)                                                                  \
  GANTRY_PAIR_OF_CALLS(extern "C", __nv_##name, GANTRY_X, __builtin_##name, (x))

#define GANTRY_OF_MACHINE_2(name)                                                                  \
  GANTRY_PAIR_OF_CALLS(extern "C", __nv_##name, GANTRY_X_Y, __builtin_##name, (x, y))

// Functions for which libclc reads a table without checking the argument against the table's end.
// From `limit` on (the float variant has its own) the result is infinite.
#define GANTRY_OF_CLC_TABLE(name, length, limit, limit_of_float, beyond)                           \
  double clc_##name(double) __asm__("_Z" #length #name "d");                                       \
  float clc_##name(float) __asm__("_Z" #length #name "f");                                         \
  extern "C" double __nv_##name(double x) {                                                        \
    const bool inside = __builtin_fabs(x) < (limit);                                               \
    const double result = clc_##name(inside ? x : 0);                                              \
    return inside ? result : (beyond);                                                             \
  }                                                                                                \
  extern "C" float __nv_##name##f(float x) {                                                       \
    const bool inside = __builtin_fabsf(x) < (limit_of_float);                                     \
    const float result = clc_##name(inside ? x : 0);                                               \
    return inside ? result : (beyond);                                                             \
  }

/// The function of double is Gantry's own (trigonometric.cpp).
#define GANTRY_OF_CLC_FLOAT(name, length)                                                          \
  float clc_##name(float) __asm__("_Z" #length #name "f");                                         \
  extern "C" float __nv_##name##f(float x) {                                                       \
    return clc_##name(x);                                                                          \
  }

GANTRY_OF_CLC_FLOAT(cos, 3)
GANTRY_OF_CLC_FLOAT(sin, 3)
GANTRY_OF_CLC_FLOAT(tan, 3)
GANTRY_OF_CLC_1(acos, 4)
GANTRY_OF_CLC_1(acosh, 5)
GANTRY_OF_CLC_1(asin, 4)
GANTRY_OF_CLC_1(asinh, 5)
GANTRY_OF_CLC_1(atan, 4)
GANTRY_OF_CLC_1(atanh, 5)
GANTRY_OF_CLC_1(cbrt, 4)
GANTRY_OF_CLC_1(cospi, 5)
GANTRY_OF_CLC_1(erf, 3)
GANTRY_OF_CLC_1(erfc, 4)
GANTRY_OF_CLC_1(expm1, 5)
GANTRY_OF_CLC_1(log, 3)
GANTRY_OF_CLC_1(log10, 5)
GANTRY_OF_CLC_1(log1p, 5)
GANTRY_OF_CLC_1(log2, 4)
GANTRY_OF_CLC_1(logb, 4)
GANTRY_OF_CLC_1(sinpi, 5)
GANTRY_OF_CLC_1(tanh, 4)
GANTRY_OF_CLC_TABLE(cosh, 4, 711, 90, x * x * __builtin_inff())
GANTRY_OF_CLC_TABLE(sinh, 4, 711, 90, x* __builtin_inff())

// libclc's exponential functions of float have no denormal results: where there would be some,
// exp(x) = exp(x + shift) * exp(-shift).
#define GANTRY_EXPONENTIAL(name, length, first_denormal, shift, of_shift)                          \
  double clc_##name(double) __asm__("_Z" #length #name "d");                                       \
  float clc_##name(float) __asm__("_Z" #length #name "f");                                         \
  extern "C" double __nv_##name(double x) {                                                        \
    return clc_##name(x);                                                                          \
  }                                                                                                \
  extern "C" float __nv_##name##f(float x) {                                                       \
    const bool denormal = x < (first_denormal);                                                    \
    const float result = clc_##name(denormal ? x + (shift) : x);                                   \
    return denormal ? result * (of_shift) : result;                                                \
  }

GANTRY_EXPONENTIAL(exp, 3, -87.0F, 16.0F, 0x1.E355BCp-24F)
GANTRY_EXPONENTIAL(exp10, 5, -37.0F, 7.0F, 1e-7F)
GANTRY_EXPONENTIAL(exp2, 4, -125.0F, 24.0F, 0x1p-24F)

double clc_lgamma(double) __asm__("_Z6lgammad");
float clc_lgamma(float) __asm__("_Z6lgammaf");
// C says what libclc does not: the result at -infinity.
extern "C" double __nv_lgamma(double x) {
  return x == -__builtin_inf() ? -x : clc_lgamma(x);
}
extern "C" float __nv_lgammaf(float x) {
  return x == -__builtin_inff() ? -x : clc_lgamma(x);
}

GANTRY_OF_CLC_2(atan2, 5)
GANTRY_OF_CLC_2(fdim, 4)
GANTRY_OF_CLC_2(fmod, 4)
GANTRY_OF_CLC_2(hypot, 5)
GANTRY_OF_CLC_2(nextafter, 9)
GANTRY_OF_CLC_2(remainder, 9)

double clc_pow(double, double) __asm__("_Z3powdd");
float clc_pow(float, float) __asm__("_Z3powff");

namespace {

/// libclc's pow is wrong for exponents that its logarithm times them leaves no digits for. Beyond
/// `limit` all exponents are even, and have the result of the limit: 0, 1 or infinity.
template <typename Real>
Real power(Real x, Real y, Real limit) {
  return clc_pow(x, y > limit ? limit : y < -limit ? -limit : y);
}

} // namespace

extern "C" double __nv_pow(double x, double y) {
  return power(x, y, 0x1p64);
}
extern "C" float __nv_powf(float x, float y) {
  return power(x, y, 0x1p32F);
}

GANTRY_OF_MACHINE_1(ceil)
GANTRY_OF_MACHINE_1(fabs)
GANTRY_OF_MACHINE_1(floor)
GANTRY_OF_MACHINE_1(nearbyint)
GANTRY_OF_MACHINE_1(rint)
GANTRY_OF_MACHINE_1(round)
GANTRY_OF_MACHINE_1(trunc)
GANTRY_OF_MACHINE_2(copysign)
GANTRY_OF_MACHINE_2(fmax)
GANTRY_OF_MACHINE_2(fmin)

int32_t clc_ilogb(double) __asm__("_Z5ilogbd");
int32_t clc_ilogb(float) __asm__("_Z5ilogbf");
double clc_pown(double, int32_t) __asm__("_Z4powndi");
float clc_pown(float, int32_t) __asm__("_Z4pownfi");

double clc_frexp(double, int32_t*) __asm__("_Z5frexpdPi");
float clc_frexp(float, int32_t*) __asm__("_Z5frexpfPi");
double clc_modf(double, double*) __asm__("_Z4modfdPd");
float clc_modf(float, float*) __asm__("_Z4modffPf");
double clc_remquo(double, double, int32_t*) __asm__("_Z6remquoddPi");
float clc_remquo(float, float, int32_t*) __asm__("_Z6remquoffPi");

namespace {

/// 2^exponent, for the exponent of a normal number.
double power_of_two(int32_t exponent, double /*type*/) {
  return __builtin_bit_cast(double, static_cast<uint64_t>(exponent + 1023) << 52);
}
float power_of_two(int32_t exponent, float /*type*/) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(exponent + 127) << 23);
}

/// x * 2^exponent, rounded once. `largest` is the exponent of the greatest normal numbers, `digits`
/// the number of bits that they have. (libclc's ldexp is wrong for denormal numbers and NaNs.)
template <typename Real>
Real scaled(Real x, int32_t exponent, int32_t largest, int32_t digits) {
  const int32_t smallest = 1 - largest;
  for (int i = 0; i < 2 && exponent > largest; ++i) {
    x *= power_of_two(largest, x);
    exponent -= largest;
  }
  // The last step down is the multiplication that rounds; the steps before it are exact.
  for (int i = 0; i < 2 && exponent < smallest; ++i) {
    x *= power_of_two(smallest + digits, x);
    exponent -= smallest + digits;
  }
  exponent = exponent > largest ? largest : exponent < smallest ? smallest : exponent;
  return x * power_of_two(exponent, x);
}

double scaled(double x, int32_t exponent) {
  return scaled(x, exponent, 1023, 53);
}
float scaled(float x, int32_t exponent) {
  return scaled(x, exponent, 127, 24);
}

} // namespace

#define GANTRY_X_Y_Z(Real) (Real x, Real y, Real z)
#define GANTRY_X_TO_INTEGER(Real) (Real x, int32_t* integer)
#define GANTRY_X_Y_TO_INTEGER(Real) (Real x, Real y, int32_t* integer)
#define GANTRY_X_TO_REAL(Real) (Real x, Real * real)

extern "C" {

double __nv_sqrt(double x) {
  return machine::square_root(x);
}
float __nv_sqrtf(float x) {
  return machine::square_root(x);
}
double __nv_rsqrt(double x) {
  return 1 / machine::square_root(x);
}
float __nv_rsqrtf(float x) {
  return static_cast<float>(1 / machine::square_root(x));
}
GANTRY_PAIR_OF_CALLS(, __nv_fma, GANTRY_X_Y_Z, __builtin_fma, (x, y, z))
GANTRY_PAIR(, __nv_ilogb, __nv_ilogbf, GANTRY_X, clc_ilogb(x))
GANTRY_PAIR(, __nv_ldexp, __nv_ldexpf, GANTRY_X_EXPONENT, scaled(x, exponent))
GANTRY_PAIR(, __nv_scalbn, __nv_scalbnf, GANTRY_X_EXPONENT, scaled(x, exponent))
GANTRY_PAIR(, __nv_powi, __nv_powif, GANTRY_X_EXPONENT, clc_pown(x, exponent))
GANTRY_PAIR(, __nv_frexp, __nv_frexpf, GANTRY_X_TO_INTEGER, clc_frexp(x, integer))
GANTRY_PAIR(, __nv_modf, __nv_modff, GANTRY_X_TO_REAL, clc_modf(x, real))
GANTRY_PAIR(, __nv_remquo, __nv_remquof, GANTRY_X_Y_TO_INTEGER, clc_remquo(x, y, integer))
void __nv_sincosf(float x, float* sine, float* cosine) {
  *sine = clc_sin(x);
  *cosine = clc_cos(x);
}
void __nv_sincospi(double x, double* sine, double* cosine) {
  *sine = clc_sinpi(x);
  *cosine = clc_cospi(x);
}
void __nv_sincospif(float x, float* sine, float* cosine) {
  *sine = clc_sinpi(x);
  *cosine = clc_cospi(x);
}
int64_t __nv_llrint(double x) {
  return machine::rounded(x);
}
int64_t __nv_llrintf(float x) {
  return machine::rounded(x);
}
int64_t __nv_llround(double x) {
  return machine::truncated(__builtin_round(x));
}
int64_t __nv_llroundf(float x) {
  return machine::truncated(__builtin_roundf(x));
}
GANTRY_PAIR(, __nv_isnand, __nv_isnanf, GANTRY_X, __builtin_isnan(x) ? 1 : 0)
GANTRY_PAIR(, __nv_isinfd, __nv_isinff, GANTRY_X, __builtin_isinf(x) ? 1 : 0)
GANTRY_PAIR(, __nv_isfinited, __nv_finitef, GANTRY_X, __builtin_isfinite(x) ? 1 : 0)
GANTRY_PAIR(, __nv_signbitd, __nv_signbitf, GANTRY_X, __builtin_signbit(x) ? 1 : 0)
double __nv_nan(const char*) {
  return __builtin_nan("");
}
float __nv_nanf(const char*) {
  return __builtin_nanf("");
}

} // extern "C"

} // namespace gantry::device
