// Functions of CUDA's libdevice that are single instructions of NVIDIA's GPUs.
#include "device/gpu/types.h"

namespace gantry::device {

extern "C" {

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
