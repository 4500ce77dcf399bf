// Norms of vectors, and reciprocals of norms and roots, which CUDA and HIP have beyond C's
// functions.
#include "device/gpu/machine.h"
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
  return infinite ? __builtin_inff() : static_cast<float>(machine::square_root(sum));
}
double __nv_rnorm(int count, const double* numbers) {
  return 1 / __nv_norm(count, numbers);
}
float __nv_rnormf(int count, const float* numbers) {
  return 1 / __nv_normf(count, numbers);
}

} // extern "C"

} // namespace gantry::device
