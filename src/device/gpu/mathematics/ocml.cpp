// C's mathematical functions under the names that Clang gives them in device code for AMD's GPUs,
// those of ROCm's OCML: __ocml_sin_f64 for sin(double), __ocml_sin_f32 for sin(float). They are the
// functions that NVIDIA's GPUs have under CUDA's names.
#include "device/gpu/types.h"

namespace gantry::device {
namespace {

/// Where a caller has the second result, if there is one: in its own local memory.
template <typename Value>
using Private = __attribute__((address_space(5))) Value;

} // namespace

// A row is a function of one to four numbers in OCML, and its name in libdevice.
#define GANTRY_OF_ONE(Real, ocml, libdevice)                                                       \
  Real libdevice(Real);                                                                            \
  Real ocml(Real x) {                                                                              \
    return libdevice(x);                                                                           \
  }
#define GANTRY_OF_TWO(Real, ocml, libdevice)                                                       \
  Real libdevice(Real, Real);                                                                      \
  Real ocml(Real x, Real y) {                                                                      \
    return libdevice(x, y);                                                                        \
  }
#define GANTRY_OF_THREE(Real, ocml, libdevice)                                                     \
  Real libdevice(Real, Real, Real);                                                                \
  Real ocml(Real x, Real y, Real z) {                                                              \
    return libdevice(x, y, z);                                                                     \
  }
#define GANTRY_OF_FOUR(Real, ocml, libdevice)                                                      \
  Real libdevice(Real, Real, Real, Real);                                                          \
  Real ocml(Real x, Real y, Real z, Real w) {                                                      \
    return libdevice(x, y, z, w);                                                                  \
  }
#define GANTRY_OF_EXPONENT(Real, ocml, libdevice)                                                  \
  Real libdevice(Real, int32_t);                                                                   \
  Real ocml(Real x, int32_t exponent) {                                                            \
    return libdevice(x, exponent);                                                                 \
  }
#define GANTRY_TO_INTEGER(Real, ocml, libdevice)                                                   \
  int32_t libdevice(Real);                                                                         \
  int32_t ocml(Real x) {                                                                           \
    return libdevice(x);                                                                           \
  }
#define GANTRY_AND_INTEGER(Real, ocml, libdevice)                                                  \
  Real libdevice(Real, int32_t*);                                                                  \
  Real ocml(Real x, Private<int32_t>* integer) {                                                   \
    return libdevice(x, (int32_t*)integer);                                                        \
  }
#define GANTRY_OF_TWO_AND_INTEGER(Real, ocml, libdevice)                                           \
  Real libdevice(Real, Real, int32_t*);                                                            \
  Real ocml(Real x, Real y, Private<int32_t>* integer) {                                           \
    return libdevice(x, y, (int32_t*)integer);                                                     \
  }
#define GANTRY_AND_REAL(Real, ocml, libdevice)                                                     \
  Real libdevice(Real, Real*);                                                                     \
  Real ocml(Real x, Private<Real>* second) {                                                       \
    return libdevice(x, (Real*)second);                                                            \
  }
/// In libdevice both results are written through pointers.
#define GANTRY_TWO_REALS(Real, ocml, libdevice)                                                    \
  void libdevice(Real, Real*, Real*);                                                              \
  Real ocml(Real x, Private<Real>* second) {                                                       \
    Real first = 0;                                                                                \
    libdevice(x, &first, (Real*)second);                                                           \
    return first;                                                                                  \
  }

#define GANTRY_BOTH(kind, ocml, libdevice)                                                         \
  kind(double, __ocml_##ocml##_f64, __nv_##libdevice)                                              \
      kind(float, __ocml_##ocml##_f32, __nv_##libdevice##f)
#define GANTRY_SAME(kind, name) GANTRY_BOTH(kind, name, name)

extern "C" {

GANTRY_SAME(GANTRY_OF_ONE, acos)
GANTRY_SAME(GANTRY_OF_ONE, acosh)
GANTRY_SAME(GANTRY_OF_ONE, asin)
GANTRY_SAME(GANTRY_OF_ONE, asinh)
GANTRY_SAME(GANTRY_OF_ONE, atan)
GANTRY_SAME(GANTRY_OF_ONE, atanh)
GANTRY_SAME(GANTRY_OF_ONE, cbrt)
GANTRY_SAME(GANTRY_OF_ONE, ceil)
GANTRY_SAME(GANTRY_OF_ONE, cos)
GANTRY_SAME(GANTRY_OF_ONE, cosh)
GANTRY_SAME(GANTRY_OF_ONE, cospi)
GANTRY_SAME(GANTRY_OF_ONE, erf)
GANTRY_SAME(GANTRY_OF_ONE, erfc)
GANTRY_SAME(GANTRY_OF_ONE, erfcinv)
GANTRY_SAME(GANTRY_OF_ONE, erfcx)
GANTRY_SAME(GANTRY_OF_ONE, erfinv)
GANTRY_SAME(GANTRY_OF_ONE, exp)
GANTRY_SAME(GANTRY_OF_ONE, exp10)
GANTRY_SAME(GANTRY_OF_ONE, exp2)
GANTRY_SAME(GANTRY_OF_ONE, expm1)
GANTRY_SAME(GANTRY_OF_ONE, fabs)
GANTRY_SAME(GANTRY_OF_ONE, floor)
GANTRY_SAME(GANTRY_OF_ONE, j0)
GANTRY_SAME(GANTRY_OF_ONE, j1)
GANTRY_SAME(GANTRY_OF_ONE, lgamma)
GANTRY_SAME(GANTRY_OF_ONE, log)
GANTRY_SAME(GANTRY_OF_ONE, log10)
GANTRY_SAME(GANTRY_OF_ONE, log1p)
GANTRY_SAME(GANTRY_OF_ONE, log2)
GANTRY_SAME(GANTRY_OF_ONE, logb)
GANTRY_SAME(GANTRY_OF_ONE, nearbyint)
GANTRY_SAME(GANTRY_OF_ONE, rcbrt)
GANTRY_SAME(GANTRY_OF_ONE, rint)
GANTRY_SAME(GANTRY_OF_ONE, round)
GANTRY_SAME(GANTRY_OF_ONE, rsqrt)
GANTRY_SAME(GANTRY_OF_ONE, sin)
GANTRY_SAME(GANTRY_OF_ONE, sinh)
GANTRY_SAME(GANTRY_OF_ONE, sinpi)
GANTRY_SAME(GANTRY_OF_ONE, sqrt)
GANTRY_SAME(GANTRY_OF_ONE, tan)
GANTRY_SAME(GANTRY_OF_ONE, tanh)
GANTRY_SAME(GANTRY_OF_ONE, tgamma)
GANTRY_SAME(GANTRY_OF_ONE, trunc)
GANTRY_SAME(GANTRY_OF_ONE, y0)
GANTRY_SAME(GANTRY_OF_ONE, y1)
GANTRY_BOTH(GANTRY_OF_ONE, i0, cyl_bessel_i0)
GANTRY_BOTH(GANTRY_OF_ONE, i1, cyl_bessel_i1)
GANTRY_BOTH(GANTRY_OF_ONE, ncdf, normcdf)
GANTRY_BOTH(GANTRY_OF_ONE, ncdfinv, normcdfinv)
GANTRY_SAME(GANTRY_OF_TWO, atan2)
GANTRY_SAME(GANTRY_OF_TWO, copysign)
GANTRY_SAME(GANTRY_OF_TWO, fdim)
GANTRY_SAME(GANTRY_OF_TWO, fmax)
GANTRY_SAME(GANTRY_OF_TWO, fmin)
GANTRY_SAME(GANTRY_OF_TWO, fmod)
GANTRY_SAME(GANTRY_OF_TWO, hypot)
GANTRY_SAME(GANTRY_OF_TWO, nextafter)
GANTRY_SAME(GANTRY_OF_TWO, pow)
GANTRY_SAME(GANTRY_OF_TWO, remainder)
GANTRY_SAME(GANTRY_OF_TWO, rhypot)
GANTRY_SAME(GANTRY_OF_THREE, fma)
GANTRY_BOTH(GANTRY_OF_THREE, len3, norm3d)
GANTRY_BOTH(GANTRY_OF_THREE, rlen3, rnorm3d)
GANTRY_BOTH(GANTRY_OF_FOUR, len4, norm4d)
GANTRY_BOTH(GANTRY_OF_FOUR, rlen4, rnorm4d)
GANTRY_SAME(GANTRY_OF_EXPONENT, ldexp)
GANTRY_SAME(GANTRY_OF_EXPONENT, scalbn)
GANTRY_BOTH(GANTRY_OF_EXPONENT, pown, powi)
GANTRY_SAME(GANTRY_TO_INTEGER, ilogb)
GANTRY_TO_INTEGER(double, __ocml_isfinite_f64, __nv_isfinited)
GANTRY_TO_INTEGER(float, __ocml_isfinite_f32, __nv_finitef)
GANTRY_TO_INTEGER(double, __ocml_isinf_f64, __nv_isinfd)
GANTRY_TO_INTEGER(float, __ocml_isinf_f32, __nv_isinff)
GANTRY_TO_INTEGER(double, __ocml_isnan_f64, __nv_isnand)
GANTRY_TO_INTEGER(float, __ocml_isnan_f32, __nv_isnanf)
GANTRY_TO_INTEGER(double, __ocml_signbit_f64, __nv_signbitd)
GANTRY_TO_INTEGER(float, __ocml_signbit_f32, __nv_signbitf)
GANTRY_SAME(GANTRY_AND_INTEGER, frexp)
GANTRY_SAME(GANTRY_OF_TWO_AND_INTEGER, remquo)
GANTRY_SAME(GANTRY_AND_REAL, modf)
GANTRY_SAME(GANTRY_TWO_REALS, sincos)
GANTRY_SAME(GANTRY_TWO_REALS, sincospi)

// Approximations, which may be exact.
GANTRY_OF_ONE(float, __ocml_native_cos_f32, __nv_cosf)
GANTRY_OF_ONE(float, __ocml_native_exp_f32, __nv_expf)
GANTRY_OF_ONE(float, __ocml_native_exp10_f32, __nv_exp10f)
GANTRY_OF_ONE(float, __ocml_native_log_f32, __nv_logf)
GANTRY_OF_ONE(float, __ocml_native_log10_f32, __nv_log10f)
GANTRY_OF_ONE(float, __ocml_native_log2_f32, __nv_log2f)
GANTRY_OF_ONE(float, __ocml_native_sin_f32, __nv_sinf)
GANTRY_OF_ONE(float, __ocml_native_sqrt_f32, __nv_sqrtf)

} // extern "C"

} // namespace gantry::device
