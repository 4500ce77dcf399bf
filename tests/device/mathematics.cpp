// The mathematical functions of device code, against the host's in a wider type. The error bounds
// are those of the OpenCL specification (full profile), in units in the last place of the result;
// where CUDA's documents promise less, theirs.
#include "accuracy.h"

int main() {
  check_runs_on_device();
  CHECK_FUNCTION(std::sin(x), -1000, 1000, 4);
  CHECK_FUNCTION(std::cos(x), -1000, 1000, 4);
  CHECK_FUNCTION(std::tan(x), -1000, 1000, 5);
  CHECK_FUNCTION(std::asin(x), -1.1, 1.1, 4);
  CHECK_FUNCTION(std::acos(x), -1.1, 1.1, 4);
  CHECK_FUNCTION(std::atan(x), -100, 100, 5);
  CHECK_FUNCTION(std::atan2(x, y), -100, 100, 6);
  CHECK_FUNCTION(std::sinh(x), -80, 80, 4);
  CHECK_FUNCTION(std::cosh(x), -80, 80, 4);
  CHECK_FUNCTION(std::tanh(x), -20, 20, 5);
  CHECK_FUNCTION(std::asinh(x), -1000, 1000, 4);
  CHECK_FUNCTION(std::acosh(x), 0.9, 1000, 4);
  CHECK_FUNCTION(std::atanh(x), -1.1, 1.1, 5);
  CHECK_FUNCTION(std::exp(x), -90, 90, 3);
  CHECK_FUNCTION(std::exp2(x), -130, 130, 3);
  CHECK_FUNCTION(std::expm1(x), -80, 80, 3);
  CHECK_FUNCTION(std::log(x), -1, 1e6, 3);
  CHECK_FUNCTION(std::log2(x), -1, 1e6, 3);
  CHECK_FUNCTION(std::log10(x), -1, 1e6, 3);
  CHECK_FUNCTION(std::log1p(x), -1.1, 1e6, 2);
  CHECK_FUNCTION(std::pow(x, y), -10, 10, 16);
  CHECK_FUNCTION(std::cbrt(x), -1e6, 1e6, 2);
  CHECK_FUNCTION(std::hypot(x, y), -1e6, 1e6, 4);
  CHECK_FUNCTION(std::erf(x), -6, 6, 16);
  CHECK_FUNCTION(std::erfc(x), -6, 9, 16);
  CHECK_FUNCTION(std::tgamma(x), 0.01, 30, 16);
  CHECK_FUNCTION(std::tgamma(x), 30, 175, 16);
  CHECK_FUNCTION(std::tgamma(x), -30, 0, 16);
  CHECK_FUNCTION(std::lgamma(x), 2.1, 1000, 16);
  CHECK_FUNCTION(std::sqrt(x), -1, 1e6, 0.5);
  CHECK_FUNCTION(std::fmod(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::remainder(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::fdim(x, y), -1e4, 1e4, 0.5);
  CHECK_FUNCTION(std::fmax(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::fmin(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::floor(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::ceil(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::trunc(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::round(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::rint(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::copysign(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::fabs(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::ldexp(x, 7), -1e4, 1e4, 0.5);
  CHECK_FUNCTION(std::logb(x), -1e4, 1e4, 0);
  CHECK_EQUAL(mistakes, 0);
}
