// Functions that CUDA has beyond C's, under their names in libdevice.
#include "device/gpu/mathematics/pairs.h"

namespace gantry::device {

extern "C" {

double __nv_cbrt(double x);
float __nv_cbrtf(float x);
double __nv_hypot(double x, double y);
float __nv_hypotf(float x, float y);

double __nv_rcbrt(double x) {
  return 1 / __nv_cbrt(x);
}
GANTRY_OF_FLOAT(, __nv_rcbrt, (float x), (x))
double __nv_rhypot(double x, double y) {
  return 1 / __nv_hypot(x, y);
}
GANTRY_OF_FLOAT(, __nv_rhypot, (float x, float y), (x, y))
double __nv_norm3d(double x, double y, double z) {
  return __nv_hypot(__nv_hypot(x, y), z);
}
GANTRY_OF_FLOAT(, __nv_norm3d, (float x, float y, float z), (x, y, z))
double __nv_rnorm3d(double x, double y, double z) {
  return 1 / __nv_norm3d(x, y, z);
}
GANTRY_OF_FLOAT(, __nv_rnorm3d, (float x, float y, float z), (x, y, z))
double __nv_norm4d(double x, double y, double z, double w) {
  return __nv_hypot(__nv_hypot(x, y), __nv_hypot(z, w));
}
GANTRY_OF_FLOAT(, __nv_norm4d, (float x, float y, float z, float w), (x, y, z, w))
double __nv_rnorm4d(double x, double y, double z, double w) {
  return 1 / __nv_norm4d(x, y, z, w);
}
GANTRY_OF_FLOAT(, __nv_rnorm4d, (float x, float y, float z, float w), (x, y, z, w))
/// The norm of `count` numbers.
double __nv_norm(int count, const double* numbers) {
  double result = 0;
  for (int i = 0; i < count; ++i) {
    result = __nv_hypot(result, numbers[i]);
  }
  return result;
}
float __nv_normf(int count, const float* numbers) {
  double sum = 0;
  bool infinite = false;
  for (int i = 0; i < count; ++i) {
    const auto number = static_cast<double>(numbers[i]);
    infinite = infinite || __builtin_isinf(number);
    sum += number * number;
  }
  return infinite ? __builtin_inff() : static_cast<float>(__nvvm_sqrt_rn_d(sum));
}
double __nv_rnorm(int count, const double* numbers) {
  return 1 / __nv_norm(count, numbers);
}
float __nv_rnormf(int count, const float* numbers) {
  return 1 / __nv_normf(count, numbers);
}
float __nv_saturatef(float x) {
  return __nvvm_saturate_f(x);
}

float __nv_fast_sinf(float x) {
  return __nvvm_sin_approx_f(x);
}
float __nv_fast_cosf(float x) {
  return __nvvm_cos_approx_f(x);
}
float __nv_fast_tanf(float x) {
  return __nvvm_sin_approx_f(x) / __nvvm_cos_approx_f(x);
}
void __nv_fast_sincosf(float x, float* sine, float* cosine) {
  *sine = __nvvm_sin_approx_f(x);
  *cosine = __nvvm_cos_approx_f(x);
}
float __nv_fast_log2f(float x) {
  return __nvvm_lg2_approx_f(x);
}
float __nv_fast_logf(float x) {
  constexpr float kLn2 = 0.693147180559945309F;
  return __nvvm_lg2_approx_f(x) * kLn2;
}
float __nv_fast_log10f(float x) {
  constexpr float kLog10Of2 = 0.301029995663981195F;
  return __nvvm_lg2_approx_f(x) * kLog10Of2;
}
float __nv_fast_expf(float x) {
  constexpr float kLog2OfE = 1.44269504088896341F;
  return __nvvm_ex2_approx_f(x * kLog2OfE);
}
float __nv_fast_exp10f(float x) {
  constexpr float kLog2Of10 = 3.32192809488736235F;
  return __nvvm_ex2_approx_f(x * kLog2Of10);
}
float __nv_fast_powf(float x, float y) {
  return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}
float __nv_fast_fdividef(float x, float y) {
  return __nvvm_div_approx_f(x, y);
}

#define GANTRY_FUNCTION(result, name, parameters, value)                                           \
  result name parameters {                                                                         \
    return value;                                                                                  \
  }
// A row is a function with the rounding mode in its name, which CUDA and the machine call
// differently.
#define GANTRY_ROUNDED(cuda, machine)                                                              \
  GANTRY_FUNCTION(double, __nv_dadd_##cuda, (double x, double y), __nvvm_add_##machine##_d(x, y))  \
  GANTRY_FUNCTION(double, __nv_dsub_##cuda, (double x, double y), __nvvm_add_##machine##_d(x, -y)) \
  GANTRY_FUNCTION(double, __nv_dmul_##cuda, (double x, double y), __nvvm_mul_##machine##_d(x, y))  \
  GANTRY_FUNCTION(double, __nv_ddiv_##cuda, (double x, double y), __nvvm_div_##machine##_d(x, y))  \
  GANTRY_FUNCTION(double, __nv_drcp_##cuda, (double x), __nvvm_rcp_##machine##_d(x))               \
  GANTRY_FUNCTION(double, __nv_dsqrt_##cuda, (double x), __nvvm_sqrt_##machine##_d(x))             \
  GANTRY_FUNCTION(double, __nv_fma_##cuda, (double x, double y, double z),                         \
                  __nvvm_fma_##machine##_d(x, y, z))                                               \
  GANTRY_FUNCTION(float, __nv_fadd_##cuda, (float x, float y), __nvvm_add_##machine##_f(x, y))     \
  GANTRY_FUNCTION(float, __nv_fsub_##cuda, (float x, float y), __nvvm_add_##machine##_f(x, -y))    \
  GANTRY_FUNCTION(float, __nv_fmul_##cuda, (float x, float y), __nvvm_mul_##machine##_f(x, y))     \
  GANTRY_FUNCTION(float, __nv_fdiv_##cuda, (float x, float y), __nvvm_div_##machine##_f(x, y))     \
  GANTRY_FUNCTION(float, __nv_frcp_##cuda, (float x), __nvvm_rcp_##machine##_f(x))                 \
  GANTRY_FUNCTION(float, __nv_fsqrt_##cuda, (float x), __nvvm_sqrt_##machine##_f(x))               \
  GANTRY_FUNCTION(float, __nv_fmaf_##cuda, (float x, float y, float z),                            \
                  __nvvm_fma_##machine##_f(x, y, z))                                               \
  GANTRY_FUNCTION(float, __nv_fmaf_ieee_##cuda, (float x, float y, float z),                       \
                  __nvvm_fma_##machine##_f(x, y, z))                                               \
  GANTRY_FUNCTION(float, __nv_double2float_##cuda, (double x), __nvvm_d2f_##machine(x))            \
  GANTRY_FUNCTION(int32_t, __nv_double2int_##cuda, (double x), __nvvm_d2i_##machine(x))            \
  GANTRY_FUNCTION(uint32_t, __nv_double2uint_##cuda, (double x), __nvvm_d2ui_##machine(x))         \
  GANTRY_FUNCTION(int64_t, __nv_double2ll_##cuda, (double x), __nvvm_d2ll_##machine(x))            \
  GANTRY_FUNCTION(uint64_t, __nv_double2ull_##cuda, (double x), __nvvm_d2ull_##machine(x))         \
  GANTRY_FUNCTION(int32_t, __nv_float2int_##cuda, (float x), __nvvm_f2i_##machine(x))              \
  GANTRY_FUNCTION(uint32_t, __nv_float2uint_##cuda, (float x), __nvvm_f2ui_##machine(x))           \
  GANTRY_FUNCTION(int64_t, __nv_float2ll_##cuda, (float x), __nvvm_f2ll_##machine(x))              \
  GANTRY_FUNCTION(uint64_t, __nv_float2ull_##cuda, (float x), __nvvm_f2ull_##machine(x))           \
  GANTRY_FUNCTION(float, __nv_int2float_##cuda, (int32_t x), __nvvm_i2f_##machine(x))              \
  GANTRY_FUNCTION(float, __nv_uint2float_##cuda, (uint32_t x), __nvvm_ui2f_##machine(x))           \
  GANTRY_FUNCTION(float, __nv_ll2float_##cuda, (int64_t x), __nvvm_ll2f_##machine(x))              \
  GANTRY_FUNCTION(float, __nv_ull2float_##cuda, (uint64_t x), __nvvm_ull2f_##machine(x))           \
  GANTRY_FUNCTION(double, __nv_ll2double_##cuda, (int64_t x), __nvvm_ll2d_##machine(x))            \
  GANTRY_FUNCTION(double, __nv_ull2double_##cuda, (uint64_t x), __nvvm_ull2d_##machine(x))

GANTRY_ROUNDED(rn, rn)
GANTRY_ROUNDED(rz, rz)
GANTRY_ROUNDED(rd, rm)
GANTRY_ROUNDED(ru, rp)

double __nv_int2double_rn(int32_t x) {
  return x;
}
double __nv_uint2double_rn(uint32_t x) {
  return x;
}
float __nv_frsqrt_rn(float x) {
  return static_cast<float>(1 / __nvvm_sqrt_rn_d(x));
}

} // extern "C"

} // namespace gantry::device
